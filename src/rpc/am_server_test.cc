// Tests the AM's server with real executor links and client calls, over loopback.
#include "howdah/rpc/am_server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <grpcpp/create_channel.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <thread>

#include "howdah/rpc/control_client.h"
#include "howdah/rpc/executor_link.h"
#include "howdah/wire/control.grpc.pb.h"
#include "howdah/wire/executor.grpc.pb.h"
#include "test_loop.h"
#include "test_served_am.h"

namespace howdah::rpc {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;

class AmServerTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    identities_ = new JobIdentities(*MakeJobIdentities("test"));
    others_ = new JobIdentities(*MakeJobIdentities("other"));
  }
  static void TearDownTestSuite() {
    delete identities_;
    delete others_;
  }

  // CallAm blocks, so it runs on a separate thread while the loop runs here.
  Result<wire::ControlReply> Call(const std::string& address, const Identity& identity,
                                  Duration limit = std::chrono::seconds(30)) {
    std::optional<Result<wire::ControlReply>> reply;
    auto post = loop_.post();
    std::thread caller([&] {
      wire::ControlRequest request;
      request.mutable_status();
      auto got = CallAm(address, identity, request, limit);
      post([&reply, got = std::move(got)] { reply = got; });
    });
    EXPECT_TRUE(loop_.RunUntil([&] { return reply.has_value(); }));
    caller.join();
    return *reply;
  }

  static JobIdentities* identities_;
  static JobIdentities* others_;
  TestLoop loop_;
  ServedAm am_{identities_->am, loop_};
};
JobIdentities* AmServerTest::identities_ = nullptr;
JobIdentities* AmServerTest::others_ = nullptr;

TEST_F(AmServerTest, MessagesArriveInOrderInBothDirections) {
  Executor executor(am_.address(), identities_->executor, loop_);
  executor.link->Send(Registering("c1"));
  for (int i = 0; i < 500; ++i) executor.link->Send(StartedAttempt(i));
  ASSERT_TRUE(loop_.RunUntil([&] { return am_.ids.contains("c1"); }));
  ConnectionId id = am_.ids["c1"];
  for (int i = 0; i < 500; ++i) am_.server->Send(id, Starting(i), nullptr);
  ASSERT_TRUE(loop_.RunUntil([&] { return am_.messages[id].size() == 501 && executor.messages.size() == 500; }));
  for (int i = 0; i < 500; ++i) {
    EXPECT_EQ(am_.messages[id][i + 1].started().attempt(), i);
    EXPECT_EQ(executor.messages[i].start().attempt(), i);
  }
  EXPECT_TRUE(executor.closed.empty());
}

TEST_F(AmServerTest, SharedEndpointTableIsMergedIntoTheMessage) {
  wire::Cluster cluster;
  for (int i = 0; i < 10000; ++i) {
    cluster.add_hosts("node" + std::to_string(i) + ".example.org");
    cluster.add_host(i);
    cluster.add_port(20000 + i);
  }
  cluster.add_sizes(10000);
  auto shared = EncodeCluster(cluster);
  std::vector<std::unique_ptr<Executor>> executors;
  for (int i = 0; i < 3; ++i) {
    executors.push_back(std::make_unique<Executor>(am_.address(), identities_->executor, loop_));
    executors.back()->link->Send(Registering("c" + std::to_string(i)));
  }
  ASSERT_TRUE(loop_.RunUntil([&] { return am_.ids.size() == 3; }));
  for (int i = 0; i < 3; ++i) am_.server->Send(am_.ids["c" + std::to_string(i)], Starting(i), shared);
  shared.reset();
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(loop_.RunUntil([&] { return !executors[i]->messages.empty(); }));
    EXPECT_EQ(executors[i]->messages[0].start().attempt(), i);
    EXPECT_EQ(executors[i]->messages[0].cluster().SerializeAsString(), cluster.SerializeAsString());
  }
}

TEST_F(AmServerTest, HundredConnectionsAreServed) {
  std::vector<std::unique_ptr<Executor>> executors;
  for (int i = 0; i < 100; ++i) {
    executors.push_back(std::make_unique<Executor>(am_.address(), identities_->executor, loop_));
    executors.back()->link->Send(Registering("c" + std::to_string(i)));
  }
  ASSERT_TRUE(loop_.RunUntil([&] { return am_.ids.size() == 100; }));
  for (int i = 0; i < 100; ++i) am_.server->Send(am_.ids["c" + std::to_string(i)], Starting(i), nullptr);
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(loop_.RunUntil([&] { return !executors[i]->messages.empty(); }));
    EXPECT_EQ(executors[i]->messages[0].start().attempt(), i);
  }
  executors.clear();
  ASSERT_TRUE(loop_.RunUntil([&] { return am_.closed.size() == 100; }));
}

TEST_F(AmServerTest, FinishSendsQueueThenCloses) {
  Executor executor(am_.address(), identities_->executor, loop_);
  executor.link->Send(Registering("c1"));
  for (int i = 0; i < 100; ++i) executor.link->Send(StartedAttempt(i));
  executor.link->Finish();
  executor.link->Finish();
  executor.link->Send(StartedAttempt(1000));
  ASSERT_TRUE(loop_.RunUntil([&] { return !executor.closed.empty() && !am_.closed.empty(); }));
  EXPECT_EQ(am_.messages[am_.ids["c1"]].size(), 101u);
  EXPECT_THAT(am_.closed, ElementsAre(am_.ids["c1"]));
  EXPECT_THAT(executor.closed, ElementsAre(HasSubstr("closed the connection")));
}

TEST_F(AmServerTest, CloseSendsQueueThenCloses) {
  Executor executor(am_.address(), identities_->executor, loop_);
  executor.link->Send(Registering("c1"));
  ASSERT_TRUE(loop_.RunUntil([&] { return am_.ids.contains("c1"); }));
  for (int i = 0; i < 100; ++i) am_.server->Send(am_.ids["c1"], Starting(i), nullptr);
  am_.server->Close(am_.ids["c1"]);
  am_.server->Close(am_.ids["c1"]);
  am_.server->Send(am_.ids["c1"], Starting(1000), nullptr);
  ASSERT_TRUE(loop_.RunUntil([&] { return !executor.closed.empty() && !am_.closed.empty(); }));
  EXPECT_EQ(executor.messages.size(), 100u);
  EXPECT_THAT(am_.closed, ElementsAre(am_.ids["c1"]));
  am_.server->Send(am_.ids["c1"], Starting(0), nullptr);  // ignored, because the connection is gone
  am_.server->Close(am_.ids["c1"]);
  am_.server->Close(123456);
}

TEST_F(AmServerTest, KilledExecutorProcessIsNoticed) {
  // gRPC does not survive fork. So the child executes the test program again, which then acts as an executor.
  int ready[2];
  ASSERT_EQ(pipe2(ready, O_CLOEXEC), 0);
  pid_t child = fork();
  if (child == 0) {
    dup2(ready[0], 0);
    setenv("HOWDAH_TEST_EXECUTOR_OF", am_.address().c_str(), 1);
    execl("/proc/self/exe", "rpc_test", "--gtest_filter=ChildProcess.RunsAsExecutorOfParentTest", nullptr);
    _exit(127);
  }
  std::string pem = identities_->executor.ca_certificate + '\0' + identities_->executor.certificate + '\0' +
                    identities_->executor.private_key;
  ASSERT_EQ(write(ready[1], pem.data(), pem.size()), static_cast<ssize_t>(pem.size()));
  close(ready[1]);
  close(ready[0]);
  ASSERT_TRUE(loop_.RunUntil([&] { return am_.ids.contains("child"); }));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  ASSERT_TRUE(loop_.RunUntil([&] { return !am_.closed.empty(); }));
  EXPECT_THAT(am_.closed, ElementsAre(am_.ids["child"]));
}

// Runs only as the child process of KilledExecutorProcessIsNoticed.
TEST(ChildProcess, RunsAsExecutorOfParentTest) {
  const char* address = getenv("HOWDAH_TEST_EXECUTOR_OF");
  if (address == nullptr) GTEST_SKIP() << "only for the child process of another test";
  std::string pem;
  char buffer[8192];
  for (ssize_t n = 0; (n = read(0, buffer, sizeof buffer)) > 0;) pem.append(buffer, static_cast<size_t>(n));
  size_t one = pem.find('\0'), two = pem.find('\0', one + 1);
  Identity identity{pem.substr(0, one), pem.substr(one + 1, two - one - 1), pem.substr(two + 1)};
  TestLoop loop;
  Executor executor(address, identity, loop);
  executor.link->Send(Registering("child"));
  loop.RunUntil([&] { return !executor.closed.empty(); });
}

TEST_F(AmServerTest, ExecutorNoticesAmShutdown) {
  Executor executor(am_.address(), identities_->executor, loop_);
  executor.link->Send(Registering("c1"));
  ASSERT_TRUE(loop_.RunUntil([&] { return am_.ids.contains("c1"); }));
  am_.server.reset();
  ASSERT_TRUE(loop_.RunUntil([&] { return !executor.closed.empty(); }));
  EXPECT_THAT(executor.closed, ElementsAre(HasSubstr("the connection to the AM at 127.0.0.1:")));
  EXPECT_TRUE(am_.closed.empty());  // a server that was destroyed reports nothing
}

TEST_F(AmServerTest, CertificateOfWrongPartyIsRefused) {
  Executor executor(am_.address(), identities_->client, loop_);
  executor.link->Send(Registering("intruder"));
  ASSERT_TRUE(loop_.RunUntil([&] { return !executor.closed.empty(); }));
  EXPECT_THAT(executor.closed, ElementsAre(HasSubstr("refused: only howdah-executor may call")));

  EXPECT_FALSE(Call(am_.address(), identities_->am).ok());  // the AM's certificate is not a client's certificate
  auto reply = Call(am_.address(), identities_->executor);
  ASSERT_FALSE(reply.ok());
  EXPECT_THAT(reply.error().message, HasSubstr("only howdah-client may call"));
  EXPECT_TRUE(am_.messages.empty());
  EXPECT_TRUE(am_.closed.empty());
  EXPECT_TRUE(am_.requests.empty());
}

TEST_F(AmServerTest, CertificateOfOtherJobIsRefused) {
  for (const Identity& mixed : {
           others_->client,  // trusts only the CA of the other job, so it rejects this AM
           Identity{identities_->client.ca_certificate, others_->client.certificate, others_->client.private_key},
           Identity{identities_->client.ca_certificate, "", ""},
       }) {
    auto reply = Call(am_.address(), mixed, seconds(5));
    ASSERT_FALSE(reply.ok());
    EXPECT_THAT(reply.error().message, HasSubstr("asking the AM at " + am_.address()));
  }
  EXPECT_TRUE(am_.requests.empty());
  EXPECT_TRUE(Call(am_.address(), identities_->client).ok());
}

TEST_F(AmServerTest, PlaintextClientIsRefused) {
  auto channel = grpc::CreateChannel("ipv4:" + am_.address(), grpc::InsecureChannelCredentials());
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + seconds(20));
  wire::ControlRequest request;
  wire::ControlReply reply;
  EXPECT_FALSE(wire::Control::NewStub(channel)->Call(&context, request, &reply).ok());
  EXPECT_TRUE(am_.requests.empty());
}

int ConnectPlain(uint16_t port) {
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof to), 0);
  return fd;
}

TEST_F(AmServerTest, GarbageOnPortIsHarmless) {
  std::string noise;
  for (unsigned i = 0, x = 1; i < 100'000; ++i)
    noise.push_back(static_cast<char>((x = x * 1664525 + 1013904223) >> 24));
  std::vector<int> fds;
  for (std::string_view bytes : {std::string_view(noise), std::string_view(noise).substr(0, 3), std::string_view(""),
                                 std::string_view("GET / HTTP/1.1\r\n\r\n"),
                                 std::string_view("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11)}) {
    fds.push_back(ConnectPlain(am_.server->port()));
    (void)!send(fds.back(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  }
  EXPECT_TRUE(Call(am_.address(), identities_->client).ok());
  am_.server.reset();  // destroys the server while handshakes are incomplete
  for (int fd : fds) close(fd);
}

TEST_F(AmServerTest, ControlReplyMayBeDelayed) {
  EXPECT_EQ(Call(am_.address(), identities_->client)->status_json(), "{}");

  am_.on_control = [this](const wire::ControlRequest&, std::function<void(wire::ControlReply)> reply) {
    loop_.post()([reply] {
      wire::ControlReply answer;
      answer.set_error("role ps is not elastic");
      reply(answer);
    });
  };
  auto refused = Call(am_.address(), identities_->client);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error(), Failed("role ps is not elastic"));

  wire::ControlReply large;
  large.set_status_json(std::string(20 << 20, 'x'));
  am_.on_control = [&](const wire::ControlRequest&, std::function<void(wire::ControlReply)> reply) { reply(large); };
  EXPECT_EQ(Call(am_.address(), identities_->client)->status_json().size(), 20u << 20);
}

TEST_F(AmServerTest, ControlErrorDistinguishesTimeoutFromRefusedConnection) {
  am_.on_control = [](const wire::ControlRequest&, std::function<void(wire::ControlReply)>) {};
  auto slow = Call(am_.address(), identities_->client, std::chrono::milliseconds(300));
  ASSERT_FALSE(slow.ok());
  EXPECT_EQ(slow.error().code, ErrorCode::kTimeout) << slow.error().message;

  std::string address = am_.address();
  am_.server.reset();
  auto gone = CallAm(address, identities_->client, {}, seconds(30));
  ASSERT_FALSE(gone.ok());
  EXPECT_EQ(gone.error(), (Error{ErrorCode::kUnavailable,
                                 "asking the AM at " + address + ": it cannot be reached: Connection refused"}));

  auto nonsense = CallAm("somewhere", identities_->client, {}, seconds(5));
  ASSERT_FALSE(nonsense.ok());
}

TEST_F(AmServerTest, UnreachableAmIsReportedOnce) {
  int bound_only = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in here{};
  here.sin_family = AF_INET;
  here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof here;
  ASSERT_EQ(bind(bound_only, reinterpret_cast<sockaddr*>(&here), size), 0);
  ASSERT_EQ(getsockname(bound_only, reinterpret_cast<sockaddr*>(&here), &size), 0);
  std::vector<std::string> closed;
  ExecutorLink::Handlers handlers;
  handlers.on_closed = [&](std::string why) { closed.push_back(std::move(why)); };
  std::string address = "127.0.0.1:" + std::to_string(ntohs(here.sin_port));
  auto link =
      ExecutorLink::Connect(address, identities_->executor, loop_.post(), handlers, std::chrono::milliseconds(200));
  link->Send(Registering("c1"));
  link->Finish();
  ASSERT_TRUE(loop_.RunUntil([&] { return !closed.empty(); }));
  EXPECT_THAT(closed, ElementsAre("the AM at " + address + " could not be reached within 200ms"));
  close(bound_only);
}

TEST_F(AmServerTest, LinkCanBeDestroyedAtAnyTime) {
  { Executor never_connected("127.0.0.1:1", identities_->executor, loop_); }
  { Executor connecting(am_.address(), identities_->executor, loop_); }
  {
    Executor sending(am_.address(), identities_->executor, loop_);
    for (int i = 0; i < 1000; ++i) sending.link->Send(StartedAttempt(i));
    sending.link->Finish();
  }
  // Handlers of the link destroy the link.
  for (bool in_message : {true, false}) {
    std::unique_ptr<ExecutorLink> link;
    bool done = false;
    ExecutorLink::Handlers handlers;
    handlers.on_message = [&](const wire::ToExecutor&) {
      if (in_message) link.reset(), done = true;
    };
    handlers.on_closed = [&](const std::string&) { link.reset(), done = true; };
    link = ExecutorLink::Connect(am_.address(), identities_->executor, loop_.post(), handlers);
    link->Send(Registering("c"));
    am_.on_message = [&](ConnectionId id, const wire::FromExecutor&) {
      am_.server->Send(id, Starting(1), nullptr);
      am_.server->Send(id, Starting(2), nullptr);
      am_.server->Close(id);
    };
    ASSERT_TRUE(loop_.RunUntil([&] { return done; }));
  }
}

TEST_F(AmServerTest, BusyServerCanBeDestroyed) {
  std::vector<std::unique_ptr<Executor>> executors;
  wire::Cluster cluster;
  for (int i = 0; i < 100'000; ++i) cluster.add_port(60000);
  auto shared = EncodeCluster(cluster);
  std::vector<std::function<void(wire::ControlReply)>> replies;
  am_.on_control = [&](const wire::ControlRequest&, std::function<void(wire::ControlReply)> reply) {
    replies.push_back(std::move(reply));
  };
  std::thread caller(
      [&, address = am_.address()] { (void)CallAm(address, identities_->client, {}, seconds(30)).ok(); });
  for (int i = 0; i < 20; ++i) {
    executors.push_back(std::make_unique<Executor>(am_.address(), identities_->executor, loop_));
    executors.back()->link->Send(Registering("c" + std::to_string(i)));
  }
  ASSERT_TRUE(loop_.RunUntil([&] { return am_.ids.size() >= 10 && !replies.empty(); }));
  for (auto& [container, id] : am_.ids) {
    for (int i = 0; i < 10; ++i) am_.server->Send(id, Starting(i), shared);
  }
  am_.server.reset();
  replies[0]({});  // ignored, because the server was destroyed
  for (auto& executor : executors) {
    ASSERT_TRUE(loop_.RunUntil([&] { return executor->closed.size() == 1 || !am_.ids.contains("c19"); }));
  }
  caller.join();
}

TEST_F(AmServerTest, HandlerCanDestroyServer) {
  Executor executor(am_.address(), identities_->executor, loop_);
  executor.link->Send(Registering("c1"));
  executor.link->Send(StartedAttempt(1));
  am_.on_message = [&](ConnectionId, const wire::FromExecutor&) { am_.server.reset(); };
  ASSERT_TRUE(loop_.RunUntil([&] { return !executor.closed.empty(); }));
  EXPECT_EQ(am_.messages.begin()->second.size(), 1u);
}

TEST_F(AmServerTest, LastMessageIsSentBeforeShutdown) {
  Executor executor(am_.address(), identities_->executor, loop_);
  executor.link->Send(Registering("c1"));
  am_.on_message = [&](ConnectionId id, const wire::FromExecutor&) {
    wire::ToExecutor leave;
    leave.mutable_leave();
    am_.server->Send(id, leave, nullptr);
    am_.server.reset();
  };
  ASSERT_TRUE(loop_.RunUntil([&] { return !executor.closed.empty(); }));
  ASSERT_EQ(executor.messages.size(), 1u);
  EXPECT_TRUE(executor.messages[0].has_leave());
}

TEST_F(AmServerTest, ListeningOnForeignAddressIsReported) {
  auto server = AmServer::Start("203.0.113.1", identities_->am, loop_.post(), {});
  ASSERT_FALSE(server.ok());
  EXPECT_THAT(server.error().message, HasSubstr("listening on 203.0.113.1"));
}

sockaddr_in Loopback(uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

// Connections that send nothing.
class IdleConnections {
 public:
  IdleConnections(uint16_t port, int count) {
    const sockaddr_in to = Loopback(port);
    for (int i = 0; i < count; ++i) {
      fds_.push_back({socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), POLLIN, 0});
      EXPECT_EQ(connect(fds_.back().fd, reinterpret_cast<const sockaddr*>(&to), sizeof to), 0);
    }
  }
  ~IdleConnections() {
    for (const pollfd& one : fds_) close(one.fd);
  }
  // Waits until the server has closed `count` connections, at most a minute.
  bool AwaitClosed(size_t count) {
    for (;;) {
      const auto closed = std::count_if(fds_.begin(), fds_.end(), [](const pollfd& one) { return one.revents != 0; });
      if (static_cast<size_t>(closed) >= count) return true;
      std::vector<pollfd> open;
      for (const pollfd& one : fds_) open.push_back({one.revents == 0 ? one.fd : -1, POLLIN, 0});
      if (poll(open.data(), open.size(), 60'000) <= 0) return false;
      for (size_t i = 0; i < open.size(); ++i) fds_[i].revents = static_cast<short>(fds_[i].revents | open[i].revents);
    }
  }
  bool closed(size_t i) const { return fds_[i].revents != 0; }

 private:
  std::vector<pollfd> fds_;
};

TEST_F(AmServerTest, ConnectionsWithoutHandshakeDoNotExcludeOthers) {
  Executor executor(am_.address(), identities_->executor, loop_);
  executor.link->Send(Registering("c1"));
  ASSERT_TRUE(loop_.RunUntil([&] { return am_.ids.contains("c1"); }));
  IdleConnections idle(am_.server->port(), 380);  // more connections than may be unfinished
  EXPECT_TRUE(Call(am_.address(), identities_->client).ok());
  // The oldest ones are closed first.
  ASSERT_TRUE(idle.AwaitClosed(100));
  for (size_t i = 0; i < 100; ++i) EXPECT_TRUE(idle.closed(i)) << i;
  // The connection of the executor is older, but has a call.
  executor.link->Send(StartedAttempt(1));
  ASSERT_TRUE(loop_.RunUntil([&] { return am_.messages[am_.ids["c1"]].size() == 2; }));
  EXPECT_TRUE(executor.closed.empty());
}

// Starts a process that opens idle connections, so that they need no descriptors of this process. The started process
// ends with code 0 once the server has closed one of the connections.
pid_t StartStranger(uint16_t port, const rlimit& limit) {
  const sockaddr_in to = Loopback(port);
  const pid_t pid = fork();
  if (pid != 0) return pid;
  setrlimit(RLIMIT_NOFILE, &limit);
  std::array<pollfd, 60> connections;
  for (pollfd& one : connections) {
    one = {socket(AF_INET, SOCK_STREAM, 0), POLLIN, 0};
    if (connect(one.fd, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) _exit(2);
  }
  _exit(poll(connections.data(), connections.size(), 60'000) > 0 ? 0 : 1);
}

TEST_F(AmServerTest, AcceptingContinuesAfterDescriptorsRanOut) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const int next = dup(0);  // the lowest free descriptor
  ASSERT_GE(next, 0);
  close(next);
  const rlimit low{static_cast<rlim_t>(next) + 20, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &low), 0);
  const pid_t stranger = StartStranger(am_.server->port(), before);
  ASSERT_GT(stranger, 0);
  int status = 0;
  ASSERT_EQ(waitpid(stranger, &status, 0), stranger);
  EXPECT_EQ(status, 0);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  const auto reply = Call(am_.address(), identities_->client);
  EXPECT_TRUE(reply.ok()) << reply.error().message;
}

TEST_F(AmServerTest, Ipv6IsSupported) {
  ServedAm am(identities_->am, loop_, "::1");
  if (!am.server) GTEST_SKIP() << "no IPv6 on this machine";
  Executor executor("[::1]:" + std::to_string(am.server->port()), identities_->executor, loop_);
  executor.link->Send(Registering("c1"));
  EXPECT_TRUE(loop_.RunUntil([&] { return am.ids.contains("c1"); }));
}

}  // namespace
}  // namespace howdah::rpc
