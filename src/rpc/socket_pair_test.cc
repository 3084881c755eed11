// Tests executors that the AM's server serves over socket pairs.
#include <gmock/gmock.h>
#include <grpcpp/create_channel_posix.h>
#include <sys/socket.h>

#include <optional>
#include <thread>

#include "howdah/wire/control.grpc.pb.h"
#include "test_loop.h"
#include "test_served_am.h"

namespace howdah::rpc {
namespace {

class SocketPair : public testing::Test {
 protected:
  const JobIdentities identities_ = *MakeJobIdentities("test");
  TestLoop loop_;
  ServedAm am_{identities_.am, loop_};
};

TEST_F(SocketPair, ServesExecutorBesideRemoteOne) {
  Executor executor(am_, loop_), remote(am_.address(), identities_.executor, loop_);
  executor.link->Send(Registering("local"));
  remote.link->Send(Registering("remote"));
  for (int i = 0; i < 500; ++i) executor.link->Send(StartedAttempt(i));
  ASSERT_TRUE(loop_.RunUntil([&] { return am_.ids.size() == 2; }));
  const ConnectionId id = am_.ids["local"];
  for (int i = 0; i < 500; ++i) am_.server->Send(id, Starting(i), nullptr);
  ASSERT_TRUE(loop_.RunUntil([&] { return am_.messages[id].size() == 501 && executor.messages.size() == 500; }));
  executor.link->Finish();
  ASSERT_TRUE(loop_.RunUntil([&] { return !executor.closed.empty() && !am_.closed.empty(); }));
  EXPECT_THAT(am_.closed, testing::ElementsAre(id));
  EXPECT_THAT(executor.closed, testing::ElementsAre(testing::HasSubstr("closed the connection")));
}

TEST_F(SocketPair, EndOfEitherSideIsNoticed) {
  Executor lost(am_, loop_), left(am_, loop_);
  lost.link->Send(Registering("lost"));
  left.link->Send(Registering("left"));
  ASSERT_TRUE(loop_.RunUntil([&] { return am_.ids.size() == 2; }));
  lost.link.reset();
  ASSERT_TRUE(loop_.RunUntil([&] { return !am_.closed.empty(); }));
  EXPECT_THAT(am_.closed, testing::ElementsAre(am_.ids["lost"]));
  am_.server.reset();
  ASSERT_TRUE(loop_.RunUntil([&] { return !left.closed.empty(); }));
  EXPECT_THAT(left.closed, testing::ElementsAre(testing::HasSubstr("the connection to the AM at 127.0.0.1:")));
}

// The socket of an executor permits the calls of executors only.
TEST_F(SocketPair, CallsOfClientsAreRefused) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends), 0);
  am_.server->AddExecutor(os::files::Fd(ends[0]));
  const auto channel = grpc::CreateInsecureChannelFromFd("am", ends[1]);
  std::optional<grpc::Status> status;
  auto post = loop_.post();
  std::thread caller([&] {
    grpc::ClientContext context;
    wire::ControlRequest request;
    request.mutable_status();
    wire::ControlReply reply;
    const grpc::Status got = wire::Control::NewStub(channel)->Call(&context, request, &reply);
    post([&status, got] { status = got; });
  });
  EXPECT_TRUE(loop_.RunUntil([&] { return status.has_value(); }));
  caller.join();
  EXPECT_EQ(status->error_code(), grpc::StatusCode::PERMISSION_DENIED);
  EXPECT_THAT(status->error_message(), testing::HasSubstr("only howdah-client may call"));
  EXPECT_TRUE(am_.requests.empty());
}

}  // namespace
}  // namespace howdah::rpc
