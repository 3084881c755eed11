// Tests of both clients. The server misbehaves as each test requires.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/post.hpp>

#include "howdah/hadoop/rpc/asio_client.h"
#include "howdah/hadoop/rpc/blocking_client.h"
#include "test_fake_server.h"

namespace howdah::hadoop::rpc {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;
using Session = FakeServer::Session;
using Call = FakeServer::Call;

ClientOptions Options(std::vector<HostPort> servers) {
  ClientOptions options;
  options.servers = std::move(servers);
  options.protocol = "some.Protocol";
  options.login.user = "ann";
  options.service_name = "the ResourceManager";
  options.configured_by = "some.key in some-site.xml";
  options.limits.backoff_first = options.limits.backoff_most = milliseconds(1);
  return options;
}

// Answers every call with the name of the called method.
void Echo(Session& session, const Call& call) {
  if (call.id >= 0) session.Reply(call.id, call.method);
}

std::string Text(const Result<std::string>& result) { return result ? *result : "!" + result.error().message; }

TEST(BlockingClient, FirstCallIsSentInOneSegment) {
  std::string first;
  FakeServer server([&](Session& session, const Call& call) {
    if (call.id >= 0 && first.empty()) first = session.first_read;
    Echo(session, call);
  });
  BlockingClient client(Options({server.where()}));
  EXPECT_EQ(client.local_ip(), "");
  EXPECT_EQ(Text(client.CallBytes("one", "request")), "one");
  EXPECT_EQ(Text(client.CallBytes("two", "")), "two");
  EXPECT_EQ(client.local_ip(), "127.0.0.1");
  EXPECT_EQ(server.connections(), 1);
  EXPECT_THAT(first, testing::AllOf(HasSubstr("hrpc"), HasSubstr("ann"), HasSubstr("request")));
}

TEST(BlockingClient, ClosedIdleConnectionIsReopenedSilently) {
  FakeServer server([](Session& session, const Call& call) {
    Echo(session, call);
    if (call.id >= 0) session.Close();
  });
  BlockingClient client(Options({server.where()}));
  for (int i = 0; i < 20; ++i) EXPECT_EQ(Text(client.CallBytes("m", "")), "m");
  EXPECT_EQ(server.connections(), 20);
}

TEST(BlockingClient, ConnectionLossDuringCallRetriesOnlyRepeatableCalls) {
  std::vector<Call> seen;
  const auto handler = [&](Session& session, const Call& call) {
    if (call.id < 0) return;
    seen.push_back(call);
    if (session.number == 0) return session.Close();
    Echo(session, call);
  };
  {
    FakeServer server(handler);
    EXPECT_EQ(Text(BlockingClient(Options({server.where()})).CallBytes("m", "", Repeat::kSafe)), "m");
  }
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_EQ(seen[0].id, seen[1].id) << "the NameNode's retry cache uses call and client ids";
  EXPECT_EQ(seen[0].client_id, seen[1].client_id);
  EXPECT_EQ(seen[0].client_id.size(), 16U);
  EXPECT_EQ(seen[0].retry_count, 0);
  EXPECT_EQ(seen[1].retry_count, 1);

  seen.clear();
  {
    FakeServer server(handler);
    const auto result = BlockingClient(Options({server.where()})).CallBytes("m", "", Repeat::kNever);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, ErrorCode::kUnavailable);
    EXPECT_THAT(result.error().message, HasSubstr("the call may or may not have been executed"));
  }
  EXPECT_EQ(seen.size(), 1U);
}

TEST(BlockingClient, ConnectionIsUsableAfterTimeoutOfACall) {
  FakeServer server([](Session& session, const Call& call) {
    if (call.method == "slow" || call.id < 0) return;
    session.Reply(0, "late");
    Echo(session, call);
  });
  ClientOptions options = Options({server.where()});
  options.limits.call = milliseconds(30);
  BlockingClient client(options);
  const auto slow = client.CallBytes("slow", "", Repeat::kNever);
  ASSERT_FALSE(slow);
  EXPECT_EQ(slow.error().code, ErrorCode::kTimeout);
  EXPECT_THAT(slow.error().message, HasSubstr("did not answer slow: no answer within 30ms"));
  Result<std::string> quick = Failed("not asked");
  for (int i = 0; i < 100 && !quick; ++i) quick = client.CallBytes("quick", "", Repeat::kSafe);
  EXPECT_EQ(Text(quick), "quick");
  EXPECT_EQ(server.connections(), 1);
}

TEST(BlockingClient, ErrorNamesAllUnreachableServers) {
  ClosedPort one, two;
  ClientOptions options = Options({one.where(), two.where()});
  options.limits.give_up = seconds(2);
  const auto result = BlockingClient(options).CallBytes("m", "", Repeat::kNever);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kUnavailable);
  const std::string refused = ": (127.0.0.1): Connection refused";
  EXPECT_THAT(result.error().message,
              testing::AllOf(HasSubstr("the ResourceManager cannot be reached: "),
                             HasSubstr(one.where().Text() + refused), HasSubstr(two.where().Text() + refused),
                             testing::EndsWith("; the addresses come from some.key in some-site.xml")));
}

TEST(BlockingClient, LaterCallsUseActiveServerAfterFailover) {
  int asked = 0;
  FakeServer standby([&](Session& session, const Call& call) {
    if (call.id < 0) return;
    ++asked;
    session.Refuse(call.id, false, "org.apache.hadoop.ipc.StandbyException", "standby");
  });
  FakeServer active(Echo);
  ClosedPort closed;
  {
    BlockingClient client(Options({closed.where(), standby.where(), active.where()}));
    for (int i = 0; i < 3; ++i) EXPECT_EQ(Text(client.CallBytes("m", "", Repeat::kNever)), "m");
  }
  EXPECT_EQ(standby.connections(), 1);
  EXPECT_EQ(active.connections(), 1);
  EXPECT_EQ(asked, 1);
}

TEST(BlockingClient, CallIsUnavailableIfAllServersAreOnStandby) {
  FakeServer standby([](Session& session, const Call& call) {
    if (call.id >= 0)
      session.Refuse(call.id, false, "org.apache.hadoop.ipc.StandbyException", "Operation is not allowed");
  });
  ClientOptions options = Options({standby.where(), standby.where()});
  options.limits.give_up = milliseconds(20);
  const auto result = BlockingClient(options).CallBytes("m", "");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(result.error().message, HasSubstr("is not active on any server"));
}

TEST(BlockingClient, RefusedTokenIsNotRetried) {
  const auto refuse = [](Session& session, const Call& call) {
    if (call.id == -33) {
      session.Refuse(-33, true, "org.apache.hadoop.security.token.SecretManager$InvalidToken", "token expired");
    }
  };
  FakeServer one(refuse), two(refuse);
  ClientOptions options = Options({one.where(), two.where()});
  options.login.token = Token{"id", "pw", "kind", ""};
  const auto result = BlockingClient(options).CallBytes("m", "");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().remote_class, "org.apache.hadoop.security.token.SecretManager$InvalidToken");
  EXPECT_THAT(result.error().message, testing::AllOf(HasSubstr(one.where().Text()), HasSubstr("token expired")));
  EXPECT_EQ(one.connections(), 1);
  EXPECT_EQ(two.connections(), 0);
}

TEST(BlockingClient, StandbyDuringHandshakeFailsOver) {
  FakeServer standby([](Session& session, const Call& call) {
    if (call.id == -33) session.Refuse(-33, true, "org.apache.hadoop.ipc.StandbyException", "standby");
  });
  FakeServer active([](Session& session, const Call& call) {
    if (call.id == -33) session.Reply(-33, std::string("\x10\0", 2));  // RpcSaslProto with the state SUCCESS
    Echo(session, call);
  });
  ClientOptions options = Options({standby.where(), active.where()});
  options.login.token = Token{"id", "pw", "kind", ""};
  EXPECT_EQ(Text(BlockingClient(options).CallBytes("m", "", Repeat::kNever)), "m");
}

TEST(BlockingClient, RetriableExceptionRetriesSameServer) {
  std::vector<int32_t> retries;
  FakeServer server([&](Session& session, const Call& call) {
    if (call.id < 0) return;
    retries.push_back(call.retry_count);
    if (retries.size() < 3) return session.Refuse(call.id, false, "org.apache.hadoop.ipc.RetriableException", "busy");
    Echo(session, call);
  });
  FakeServer other(Echo);
  EXPECT_EQ(Text(BlockingClient(Options({server.where(), other.where()})).CallBytes("m", "", Repeat::kNever)), "m");
  EXPECT_EQ(server.connections(), 1);
  EXPECT_EQ(other.connections(), 0);
  EXPECT_EQ(retries, (std::vector<int32_t>{0, 1, 2}));
}

TEST(BlockingClient, PingsAreSentDuringSlowCall) {
  int32_t waiting = -1;
  FakeServer server([&](Session& session, const Call& call) {
    if (call.id >= 0) waiting = call.id;
    if (call.id == -4 && waiting >= 0) session.Reply(waiting, "pinged");
  });
  ClientOptions options = Options({server.where()});
  options.limits.ping = milliseconds(10);
  EXPECT_EQ(Text(BlockingClient(options).CallBytes("m", "")), "pinged");
}

TEST(BlockingClient, IncompleteHandshakeTimesOut) {
  FakeServer server([](Session&, const Call&) {});
  ClientOptions options = Options({server.where()});
  options.login.token = Token{"id", "pw", "kind", ""};
  options.limits.connect = milliseconds(20);
  options.limits.give_up = milliseconds(1);
  const auto result = BlockingClient(options).CallBytes("m", "", Repeat::kNever);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(result.error().message, HasSubstr("within 20ms"));
}

TEST(BlockingClient, WebServerIsRecognised) {
  FakeServer server([](Session& session, const Call&) { session.Send("HTTP/1.1 400 Bad Request\r\n\r\n"); });
  const auto result = BlockingClient(Options({server.where()})).CallBytes("m", "");
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message, HasSubstr("an HTTP port"));
}

TEST(AsioClient, AnswersInReverseOrderAreMatched) {
  std::vector<int32_t> waiting;
  FakeServer server([&](Session& session, const Call& call) {
    if (call.id >= 0) waiting.push_back(call.id);
    if (waiting.size() < 50) return;
    for (auto id = waiting.rbegin(); id != waiting.rend(); ++id) session.Reply(*id, std::to_string(*id));
  });
  boost::asio::io_context loop;
  AsioClient client(loop, Options({server.where()}));
  std::vector<std::string> answers;
  for (int i = 0; i < 50; ++i) {
    client.CallBytes("m", "", Repeat::kNever, [&](Result<std::string> r) { answers.push_back(Text(r)); });
  }
  EXPECT_TRUE(answers.empty()) << "Done is never called from within CallBytes";
  while (answers.size() < 50) loop.run_one();
  EXPECT_EQ(answers.front(), "49");
  EXPECT_EQ(answers.back(), "0");
  EXPECT_EQ(server.connections(), 1);
}

TEST(AsioClient, FatalAnswerFailsEveryPendingCall) {
  int seen = 0;
  FakeServer server([&](Session& session, const Call& call) {
    if (call.id < 0 || ++seen < 3) return;
    session.Refuse(-1, true, "org.apache.hadoop.security.authorize.AuthorizationException", "ann may not");
    session.Close();
  });
  boost::asio::io_context loop;
  AsioClient client(loop, Options({server.where()}));
  std::vector<Error> errors;
  for (int i = 0; i < 3; ++i) {
    client.CallBytes("m", "", Repeat::kSafe, [&](Result<std::string> r) { errors.push_back(r.error()); });
  }
  while (errors.size() < 3) loop.run_one();
  for (const Error& error : errors) {
    EXPECT_EQ(error.remote_class, "org.apache.hadoop.security.authorize.AuthorizationException");
    EXPECT_THAT(error.message, HasSubstr("ann may not"));
  }
}

TEST(AsioClient, CallbackMayDestroyClient) {
  FakeServer server(Echo);
  boost::asio::io_context loop;
  auto client = std::make_unique<AsioClient>(loop, Options({server.where()}));
  int done = 0;
  for (int i = 0; i < 5; ++i) {
    client->CallBytes("m", "", Repeat::kSafe, [&](Result<std::string>) {
      ++done;
      client.reset();
    });
  }
  loop.run();
  EXPECT_EQ(done, 1) << "outstanding calls are dropped";
}

TEST(AsioClient, DestructionDropsCallbacks) {
  ClosedPort closed;
  boost::asio::io_context loop;
  {
    AsioClient client(loop, Options({closed.where()}));
    client.CallBytes("m", "", Repeat::kSafe, [](Result<std::string>) { FAIL(); });
    loop.poll();
  }
  loop.restart();
  loop.run();
}

TEST(AsioClient, NewTokenOpensNewConnection) {
  Session* holding = nullptr;
  int32_t held = -1;
  FakeServer server([&](Session& session, const Call& call) {
    if (call.id == -33) session.Reply(-33, std::string("\x10\0", 2));  // RpcSaslProto with the state SUCCESS
    if (call.method == "hold") holding = &session, held = call.id;
    if (call.method == "hold" || call.id < 0) return;
    session.Reply(call.id, std::to_string(session.number));
    if (session.number == 1) holding->Reply(held, "held");
  });
  boost::asio::io_context loop;
  AsioClient client(loop, Options({server.where()}));
  std::vector<std::string> answers;
  const auto call = [&](const char* method) {
    client.CallBytes(method, "", Repeat::kNever, [&](Result<std::string> r) { answers.push_back(Text(r)); });
  };
  call("m");
  while (answers.empty()) loop.run_one();
  client.SetToken({"id", "pw", "", ""}, false);
  call("m");
  while (answers.size() < 2) loop.run_one();
  EXPECT_EQ(answers, (std::vector<std::string>{"0", "0"}));
  call("hold");
  client.SetToken({"id", "pw", "", ""}, true);
  call("m");
  while (answers.size() < 4) loop.run_one();
  EXPECT_THAT(answers, testing::UnorderedElementsAre("0", "0", "1", "held"));
}

TEST(AsioClient, CallWithoutConfiguredServersFails) {
  boost::asio::io_context loop;
  AsioClient client(loop, Options({}));
  std::string text;
  client.CallBytes("m", "", Repeat::kSafe, [&](Result<std::string> r) { text = Text(r); });
  EXPECT_EQ(text, "");
  loop.run();
  EXPECT_EQ(text, "!calling m: no server is configured");
}

}  // namespace
}  // namespace howdah::hadoop::rpc
