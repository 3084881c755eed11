#include "connection.h"

#include <gtest/gtest.h>

#include "remote_error.h"
#include "test_recording.h"
#include "test_wrapping_server.h"

namespace howdah::hadoop::rpc {
namespace {

using ::hadoop::common::RpcResponseHeaderProto;
using ::hadoop::common::RpcSaslProto;

ConnectionOptions Simple() { return {"some.Protocol", "ann", "", std::string(16, 'c'), {}}; }

std::string Response(int32_t id, std::string_view message) {
  RpcResponseHeaderProto header;
  header.set_callid(static_cast<uint32_t>(id));
  header.set_status(RpcResponseHeaderProto::SUCCESS);
  header.mutable_unknown_fields()->append("\xa2\x06\x01x");  // field 100, which no version of Hadoop defines
  std::string body;
  AppendDelimited(body, header);
  AppendDelimited(body, message);
  return Frame(body);
}

std::string Refusal(int32_t id, RpcResponseHeaderProto::RpcStatusProto status, const std::string& java_class,
                    const std::string& message) {
  RpcResponseHeaderProto header;
  header.set_callid(static_cast<uint32_t>(id));
  header.set_status(status);
  header.set_exceptionclassname(java_class);
  header.set_errormsg(message);
  std::string body;
  AppendDelimited(body, header);
  return Frame(body);
}

// Returns the new answers in order of arrival: "3=abc 1=!Class:message".
std::string NewAnswers(Connection& connection) {
  std::string text;
  for (const Answer& answer : connection.TakeAnswers()) {
    text += (text.empty() ? "" : " ") + std::to_string(answer.call_id) + "=" +
            (answer.response ? *answer.response
                             : "!" + answer.response.error().remote_class + ":" + answer.response.error().message);
  }
  return text;
}

TEST(Connection, FirstCallSendsPreambleContextAndCall) {
  Connection connection(Simple());
  EXPECT_TRUE(connection.ready());
  connection.Ping();
  EXPECT_EQ(connection.TakeOutput(), "");
  connection.Call(7, 0, "m", "");
  EXPECT_FALSE(connection.WasSent(7));
  const std::string output = connection.TakeOutput();
  EXPECT_TRUE(connection.WasSent(7));
  EXPECT_TRUE(output.starts_with(std::string("hrpc\x09\0\0", 7)));
  EXPECT_EQ(output.back(), '\0') << "an empty request is an empty message";
  EXPECT_EQ(connection.TakeOutput(), "");
  connection.Ping();
  EXPECT_NE(connection.TakeOutput(), "");
}

TEST(Connection, ProxyUserIsSentWithRealUser) {
  ConnectionOptions options = Simple();
  options.real_user = "superuser";
  Connection connection(options);
  connection.Call(0, 0, "m", "");
  FrameBuffer frames;
  frames.Append(connection.TakeOutput().substr(7));
  const std::string body = frames.Next().value_or("");
  DelimitedReader reader(body);
  ASSERT_TRUE(reader.Next());
  ::hadoop::common::IpcConnectionContextProto context;
  ASSERT_TRUE(context.ParseFromString(std::string(reader.Next().value_or(""))));
  EXPECT_EQ(context.userinfo().effectiveuser(), "ann");
  EXPECT_EQ(context.userinfo().realuser(), "superuser");
  EXPECT_EQ(context.protocol(), "some.Protocol");
}

TEST(Connection, AnswersInAnyOrderAreMatchedToCalls) {
  const std::string large(300'000, 'x');
  const std::string bytes = Response(2, "two") + Response(0, "") +
                            Refusal(1, RpcResponseHeaderProto::ERROR, "java.io.E", "java.io.E: no\n\tat x") +
                            Response(9, "of a call that nobody made") + Response(3, large);
  for (const size_t piece : {size_t{1}, size_t{2}, size_t{3}, size_t{5}, size_t{8}, size_t{1000}, bytes.size()}) {
    Connection connection(Simple());
    for (int32_t id = 0; id < 4; ++id) connection.Call(id, 0, "m", "");
    FeedInPieces(connection, bytes, piece);
    EXPECT_EQ(NewAnswers(connection), "2=two 0= 1=!java.io.E:no 3=" + large);
    EXPECT_FALSE(connection.failure());
    EXPECT_FALSE(connection.awaiting());
  }
}

TEST(Connection, AnswerOf100MebibytesIsAccepted) {
  Connection connection(Simple());
  connection.Call(0, 0, "m", "");
  const std::string large(100 << 20, 'x');
  FeedInPieces(connection, Response(0, large), 1 << 20);
  const auto answers = connection.TakeAnswers();
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0].response->size(), large.size());
}

TEST(Connection, LateAndDuplicateAnswersAreDropped) {
  Connection connection(Simple());
  connection.Call(0, 0, "m", "");
  connection.Call(1, 0, "m", "");
  connection.DropAnswer(0);
  connection.Receive(Response(0, "late") + Response(1, "one") + Response(1, "one again"));
  EXPECT_EQ(NewAnswers(connection), "1=one");
  EXPECT_FALSE(connection.failure());
}

TEST(Connection, FatalAnswerAndClosedConnectionAreReported) {
  Connection connection(Simple());
  connection.Call(0, 0, "m", "");
  connection.Receive(Refusal(-1, RpcResponseHeaderProto::FATAL, "org.apache.E", "because"));
  ASSERT_TRUE(connection.failure());
  EXPECT_EQ(connection.failure()->kind, FailureKind::kRemote);
  EXPECT_EQ(connection.failure()->error, (Error{ErrorCode::kFailed, "because", "org.apache.E"}));
  connection.ReceiveEnd();
  EXPECT_EQ(connection.failure()->kind, FailureKind::kRemote) << "the FATAL answer is more precise than the end";

  Connection ended(Simple());
  ended.ReceiveEnd();
  EXPECT_EQ(ended.failure()->kind, FailureKind::kLost);
}

TEST(Connection, ForeignProtocolIsReported) {
  struct {
    std::string bytes, text;
  } const cases[] = {
      {"HTTP/1.1 400 Bad Request\r\n", "an HTTP port"},
      {"SSH-2.0-OpenSSH_9.2\r\n", "SSH"},
      {std::string("\xff\xff\xff\xff\0\0\0\1", 8), "older than Hadoop 2"},
      {std::string("\x15\x03\x01\x00\x02\x02\x32", 7), "does not speak Hadoop RPC"},
      {std::string("\0\0\0\2\5x", 6), "unreadable"},
      {std::string("\0\0\0\0", 4), "unreadable"},
      {Response(0, "x").replace(3, 1, "\x06"), "unreadable"},
  };
  for (const auto& c : cases) {
    for (const size_t piece : {size_t{1}, c.bytes.size()}) {
      Connection connection(Simple());
      connection.Call(0, 0, "m", "");
      FeedInPieces(connection, c.bytes, piece);
      ASSERT_TRUE(connection.failure()) << c.text;
      EXPECT_EQ(connection.failure()->kind, FailureKind::kBroken);
      EXPECT_NE(connection.failure()->error.message.find(c.text), std::string::npos)
          << connection.failure()->error.message;
    }
  }
}

std::string Sasl(const RpcSaslProto& message) {
  RpcResponseHeaderProto header;
  header.set_callid(static_cast<uint32_t>(-33));
  header.set_status(RpcResponseHeaderProto::SUCCESS);
  std::string body;
  AppendDelimited(body, header);
  AppendDelimited(body, message);  // one of the test messages lacks the required state
  return Frame(body);
}

RpcSaslProto State(RpcSaslProto::SaslState state) {
  RpcSaslProto message;
  message.set_state(state);
  return message;
}

RpcSaslProto Offer(std::initializer_list<std::pair<const char*, const char*>> entries) {
  RpcSaslProto message = State(RpcSaslProto::NEGOTIATE);
  for (const auto& [method, mechanism] : entries) {
    auto* entry = message.add_auths();
    entry->set_method(method);
    entry->set_mechanism(mechanism);
    if (std::string(method) != "SIMPLE") entry->set_protocol(""), entry->set_serverid("default");
    if (std::string(mechanism) == "DIGEST-MD5") {
      entry->set_challenge("realm=\"default\",nonce=\"n\",qop=\"auth\",algorithm=md5-sess");
    }
  }
  return message;
}

ConnectionOptions WithToken() {
  ConnectionOptions options = Simple();
  options.mechanisms = {TokenMechanism({"id", "pw", "", ""}, "cnonce")};
  return options;
}

TEST(Negotiation, ServerWithoutAuthenticationReceivesUserName) {
  for (const auto& answer : {State(RpcSaslProto::SUCCESS), Offer({{"SIMPLE", ""}}),
                             Offer({{"FUTURE", "SCRAM"}, {"TOKEN", "SCRAM"}, {"SIMPLE", ""}})}) {
    Connection connection(WithToken());
    connection.Call(0, 0, "m", "");
    EXPECT_EQ(connection.TakeOutput().substr(0, 7), std::string("hrpc\x09\0\xdf", 7));
    EXPECT_FALSE(connection.WasSent(0));
    connection.Receive(Sasl(answer));
    EXPECT_TRUE(connection.ready());
    EXPECT_NE(connection.TakeOutput().find("ann"), std::string::npos);
    EXPECT_TRUE(connection.WasSent(0));
    connection.Receive(Response(0, "x"));
    EXPECT_EQ(NewAnswers(connection), "0=x");
  }
}

TEST(Negotiation, ErrorNamesUnsupportedMechanisms) {
  Connection connection([] {
    auto options = WithToken();
    options.user = "";
    return options;
  }());
  connection.Receive(Sasl(Offer({{"KERBEROS", "GSSAPI"}, {"SIMPLE", ""}})));
  ASSERT_TRUE(connection.failure());
  EXPECT_EQ(connection.failure()->kind, FailureKind::kBroken);
  EXPECT_EQ(connection.failure()->error.message,
            "the server accepts only KERBEROS (GSSAPI), SIMPLE, none of which is supported");
}

TEST(Negotiation, StandbyExceptionDuringHandshakeIsReported) {
  Connection connection(WithToken());
  connection.Receive(
      Refusal(-33, RpcResponseHeaderProto::FATAL, "org.apache.hadoop.ipc.StandbyException", "not active"));
  EXPECT_EQ(connection.failure()->kind, FailureKind::kRemote);
  EXPECT_EQ(connection.failure()->error.remote_class, "org.apache.hadoop.ipc.StandbyException");
}

TEST(Negotiation, ServerThatDoesNotAuthenticateItselfIsRejected) {
  Connection connection(WithToken());
  connection.Call(0, 0, "m", "secret");
  connection.TakeOutput();
  connection.Receive(Sasl(Offer({{"TOKEN", "DIGEST-MD5"}})));
  connection.TakeOutput();
  auto success = State(RpcSaslProto::SUCCESS);
  success.set_token("rspauth=00000000000000000000000000000000");
  connection.Receive(Sasl(success));
  ASSERT_TRUE(connection.failure());
  EXPECT_EQ(connection.failure()->kind, FailureKind::kBroken);
  EXPECT_EQ(connection.TakeOutput().find("secret"), std::string::npos);
}

TEST(Negotiation, UnexpectedMessagesCloseConnection) {
  for (const auto& surprise : {State(RpcSaslProto::CHALLENGE), State(RpcSaslProto::INITIATE), State(RpcSaslProto::WRAP),
                               RpcSaslProto(), State(RpcSaslProto::NEGOTIATE)}) {
    Connection connection(WithToken());
    connection.Receive(Sasl(surprise));
    EXPECT_TRUE(connection.failure()) << surprise.state();
  }
  Connection early(WithToken());
  early.Call(0, 0, "m", "");
  early.Receive(Response(0, "before the negotiation's end"));
  EXPECT_TRUE(early.failure());
  EXPECT_EQ(NewAnswers(early), "");
}

class WrappingTest : public testing::TestWithParam<const char*> {};

TEST_P(WrappingTest, LargeRequestsAndResponsesAreSplit) {
  WrappingServer server(GetParam());
  Connection connection(server.client_options());
  std::string request;
  for (int i = 0; i < 200'000; ++i) request += static_cast<char>(i * 7 + i / 251);
  connection.Call(0, 0, "m", request);
  for (int turn = 0; turn < 3; ++turn) server.Exchange(connection);
  ASSERT_FALSE(connection.failure()) << connection.failure()->error.message;
  EXPECT_NE(server.received().find(request), std::string::npos);
  EXPECT_EQ(server.largest_token(), std::string(GetParam()) == "auth-int" ? 65536U : 65534U)
      << "chunks have the server's maximum size";
  const std::string response(500'000, 'r');
  FeedInPieces(connection, server.Wrap(Response(0, response)), 4096);
  ASSERT_FALSE(connection.failure()) << connection.failure()->error.message;
  EXPECT_EQ(NewAnswers(connection), "0=" + response);
}

TEST_P(WrappingTest, UnwrappedAnswerIsRejected) {
  WrappingServer server(GetParam());
  Connection connection(server.client_options());
  connection.Call(0, 0, "m", "");
  for (int turn = 0; turn < 3; ++turn) server.Exchange(connection);
  connection.Receive(Response(0, "x"));
  ASSERT_TRUE(connection.failure());
  EXPECT_EQ(connection.failure()->kind, FailureKind::kBroken);
  EXPECT_EQ(NewAnswers(connection), "");
}

INSTANTIATE_TEST_SUITE_P(Qop, WrappingTest, testing::Values("auth-int", "auth-conf"),
                         [](const auto& info) { return std::string(info.param).substr(5); });

TEST(RemoteError, StackTraceIsRemoved) {
  struct {
    const char *java_class, *text, *expected;
  } const cases[] = {
      {"a.E", "a.E: no such file\n\tat x.y(Z.java:1)\nCaused by: b.F: c\n\tat z", "no such file"},
      {"a.E", "two\nlines\n\tat x", "two\nlines"},
      {"a.E", "a.E\n\tat x", "a.E"},
      {"a.E", "", "a.E"},
      {"a.E", "a.Even longer: text", "a.Even longer: text"},
      {"", "text", "text"},
  };
  for (const auto& c : cases) EXPECT_EQ(FirstLines(c.java_class, c.text), c.expected);
}

}  // namespace
}  // namespace howdah::hadoop::rpc
