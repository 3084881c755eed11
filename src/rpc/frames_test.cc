// Tests frame streams over loopback, with a client, an executor, and the AM that joins their calls.
#include "howdah/rpc/frames.h"

#include <gmock/gmock.h>

#include <map>

#include "howdah/rpc/am_server.h"
#include "test_loop.h"

namespace howdah::rpc {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;
using Method = FrameChannel::Method;

wire::Frame Opening(const std::string& role) {
  wire::Frame frame;
  frame.mutable_open()->set_role(role);
  return frame;
}

wire::Frame Carrying(uint64_t id) {
  wire::Frame frame;
  frame.set_accept_tunnel(id);
  return frame;
}

wire::Frame Data(const std::string& bytes) {
  wire::Frame frame;
  frame.mutable_data()->set_bytes(bytes);
  return frame;
}

struct FrameAm {
  FrameAm(const Identity& identity, TestLoop& loop) {
    AmServer::Handlers handlers;
    handlers.on_message = [](ConnectionId, const wire::FromExecutor&) {};
    handlers.on_closed = [](ConnectionId) {};
    handlers.on_tunnel = [this](ConnectionId id, wire::Open open) { tunnels[open.role()] = id; };
    handlers.on_accept_tunnel = [this](ConnectionId id, uint64_t carried) { carries[carried] = id; };
    auto started = AmServer::Start("127.0.0.1", identity, loop.post(), handlers);
    EXPECT_TRUE(started.ok()) << started.error().message;
    if (started.ok()) server = std::move(*started);
  }
  std::string address() const { return "127.0.0.1:" + std::to_string(server->port()); }
  std::map<std::string, ConnectionId> tunnels;
  std::map<uint64_t, ConnectionId> carries;
  std::unique_ptr<AmServer> server;
};

// One end of a stream, with all frames that it has received.
struct End {
  End(FrameChannel& channel, Method method, const wire::Frame& first) {
    stream = channel.Open(method, {[this](wire::Frame frame) { frames.push_back(std::move(frame)); },
                                   [this](std::string why) { closed.push_back(std::move(why)); }});
    stream->Send(first);
  }
  std::vector<wire::Frame> frames;
  std::vector<std::string> closed;
  std::unique_ptr<FrameStream> stream;
};

class FramesTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    identities_ = new JobIdentities(*MakeJobIdentities("test"));
    others_ = new JobIdentities(*MakeJobIdentities("other"));
  }
  static void TearDownTestSuite() {
    delete identities_;
    delete others_;
  }
  std::unique_ptr<FrameChannel> Channel(const Identity& identity) {
    auto made = FrameChannel::Make(am_.address(), identity, loop_.post(), seconds(30));
    EXPECT_TRUE(made.ok());
    return std::move(*made);
  }
  // Joins the stream of a client and the stream of an executor.
  void Join() {
    client_.emplace(*clients_, Method::kTunnel, Opening("worker"));
    executor_.emplace(*executors_, Method::kAcceptTunnel, Carrying(7));
    ASSERT_TRUE(loop_.RunUntil([&] { return am_.tunnels.contains("worker") && am_.carries.contains(7); }));
    am_.server->Join(am_.tunnels["worker"], am_.carries[7]);
    ASSERT_TRUE(loop_.RunUntil([&] { return executor_->frames.size() == 1; }));
    EXPECT_EQ(executor_->frames[0].open().role(), "worker");
    executor_->frames.clear();
  }

  static JobIdentities *identities_, *others_;
  TestLoop loop_;
  FrameAm am_{identities_->am, loop_};
  std::unique_ptr<FrameChannel> clients_ = Channel(identities_->client), executors_ = Channel(identities_->executor);
  std::optional<End> client_, executor_;
};
JobIdentities *FramesTest::identities_ = nullptr, *FramesTest::others_ = nullptr;

TEST_F(FramesTest, FramesOfJoinedStreamsArriveInOrder) {
  Join();
  constexpr int kFrames = 300;
  for (int i = 0; i < kFrames; ++i) {
    client_->stream->Send(Data("to " + std::to_string(i)));
    executor_->stream->Send(Data("fro " + std::to_string(i)));
  }
  ASSERT_TRUE(loop_.RunUntil([&] { return client_->frames.size() == kFrames && executor_->frames.size() == kFrames; }));
  for (size_t i = 0; i < kFrames; ++i) {
    EXPECT_EQ(executor_->frames[i].data().bytes(), "to " + std::to_string(i));
    EXPECT_EQ(client_->frames[i].data().bytes(), "fro " + std::to_string(i));
  }
}

TEST_F(FramesTest, QueuedFramesArriveBeforeEnd) {
  for (const bool client_ends : {true, false}) {
    am_.tunnels.clear();
    am_.carries.clear();
    Join();
    End &first = client_ends ? *client_ : *executor_, &second = client_ends ? *executor_ : *client_;
    for (int i = 0; i < 50; ++i) first.stream->Send(Data("x"));
    first.stream->Finish();
    ASSERT_TRUE(loop_.RunUntil([&] { return second.closed.size() == 1 && first.closed.size() == 1; }));
    EXPECT_EQ(second.frames.size(), 50u);
  }
}

TEST_F(FramesTest, BrokenEndClosesOtherEnd) {
  Join();
  client_->stream.reset();
  ASSERT_TRUE(loop_.RunUntil([&] { return executor_->closed.size() == 1; }));
  EXPECT_TRUE(client_->closed.empty());
}

TEST_F(FramesTest, ClientDisconnectedBeforeJoinClosesTheExecutorStream) {
  client_.emplace(*clients_, Method::kTunnel, Opening("worker"));
  ASSERT_TRUE(loop_.RunUntil([&] { return am_.tunnels.contains("worker"); }));
  client_->stream.reset();
  executor_.emplace(*executors_, Method::kAcceptTunnel, Carrying(7));
  ASSERT_TRUE(loop_.RunUntil([&] { return am_.carries.contains(7); }));
  am_.server->Join(am_.tunnels["worker"], am_.carries[7]);
  ASSERT_TRUE(loop_.RunUntil([&] { return executor_->closed.size() == 1; }));
}

TEST_F(FramesTest, ServedTunnelCarriesDataAndRefusedTunnelGetsTheReason) {
  client_.emplace(*clients_, Method::kTunnel, Opening("a"));
  End refused(*clients_, Method::kTunnel, Opening("b"));
  ASSERT_TRUE(loop_.RunUntil([&] { return am_.tunnels.size() == 2; }));
  am_.server->Refuse(am_.tunnels["b"], "there is no b");
  std::vector<std::string> received;
  bool gone = false;
  const auto served = am_.server->Serve(
      am_.tunnels["a"],
      {[&](const wire::Frame& f) { received.push_back(f.data().bytes()); }, [&](const std::string&) { gone = true; }});
  ASSERT_NE(served, nullptr);
  served->Send(Data("hello"));
  client_->stream->Send(Data("hi"));
  ASSERT_TRUE(
      loop_.RunUntil([&] { return received.size() == 1 && client_->frames.size() == 1 && !refused.closed.empty(); }));
  EXPECT_EQ(received[0], "hi");
  EXPECT_EQ(refused.frames.at(0).failed(), "there is no b");
  client_->stream->Finish();
  ASSERT_TRUE(loop_.RunUntil([&] { return gone; }));
}

TEST_F(FramesTest, StreamsOfOneConnectionAreIndependent) {
  Join();
  std::vector<std::unique_ptr<End>> more;
  for (int i = 0; i < 40; ++i)
    more.push_back(std::make_unique<End>(*clients_, Method::kTunnel, Opening(std::to_string(i))));
  ASSERT_TRUE(loop_.RunUntil([&] { return am_.tunnels.size() == 41; }));
  for (int i = 0; i < 40; ++i) am_.server->Refuse(am_.tunnels[std::to_string(i)], std::to_string(i));
  ASSERT_TRUE(loop_.RunUntil(
      [&] { return std::all_of(more.begin(), more.end(), [](const auto& end) { return end->closed.size() == 1; }); }));
  for (size_t i = 0; i < 40; ++i) EXPECT_EQ(more[i]->frames.at(0).failed(), std::to_string(i));
  client_->stream->Send(Data("still there"));
  ASSERT_TRUE(loop_.RunUntil([&] { return executor_->frames.size() == 1; }));
}

TEST_F(FramesTest, CertificateOfOtherJobIsRefused) {
  const auto trusting = [](const Identity& stranger) {  // trusts the AM, so only the AM can refuse the connection
    return Identity{identities_->client.ca_certificate, stranger.certificate, stranger.private_key};
  };
  for (const Identity& stranger : {others_->client, others_->executor, trusting(others_->client),
                                   trusting(others_->executor), trusting(Identity{})}) {
    const auto channel = Channel(stranger);
    for (const Method method : {Method::kTunnel, Method::kAcceptTunnel}) {
      End end(*channel, method, method == Method::kTunnel ? Opening("worker") : Carrying(7));
      end.stream->Send(Data("let me in"));
      ASSERT_TRUE(loop_.RunUntil([&] { return end.closed.size() == 1; }));
      EXPECT_THAT(end.closed[0], HasSubstr("cannot be reached"));
      EXPECT_TRUE(end.frames.empty());
    }
  }
  EXPECT_TRUE(am_.tunnels.empty());
  EXPECT_TRUE(am_.carries.empty());
  Join();
}

TEST_F(FramesTest, OnlyExecutorsAcceptTunnels) {
  End end(*clients_, Method::kAcceptTunnel, Carrying(1));
  ASSERT_TRUE(loop_.RunUntil([&] { return end.closed.size() == 1; }));
  EXPECT_THAT(end.closed[0], HasSubstr("only howdah-executor may call"));
  EXPECT_TRUE(am_.carries.empty());
}

TEST_F(FramesTest, RefusedConnectionFailsImmediately) {
  am_.server.reset();
  End end(*clients_, Method::kTunnel, Opening("worker"));
  ASSERT_TRUE(loop_.RunUntil([&] { return end.closed.size() == 1; }));
  EXPECT_THAT(end.closed[0], HasSubstr("cannot be reached: Connection refused"));
}

TEST_F(FramesTest, ServerShutdownEndsAllStreams) {
  Join();
  am_.server.reset();
  ASSERT_TRUE(loop_.RunUntil([&] { return client_->closed.size() == 1 && executor_->closed.size() == 1; }));
}

// A client that connects to the next AM destroys the channel when it learns that the AM is gone.
TEST_F(FramesTest, HandlerOfTheEndMayDestroyTheChannel) {
  auto channel = Channel(identities_->client);
  am_.server.reset();
  std::string why;
  const auto stream = channel->Open(Method::kTunnel, {[](const wire::Frame&) {},
                                                      [&](const std::string& text) {
                                                        channel.reset();
                                                        why = text;
                                                      }});
  stream->Send(Opening("worker"));
  ASSERT_TRUE(loop_.RunUntil([&] { return !why.empty(); }));
  EXPECT_EQ(channel, nullptr);
}

}  // namespace
}  // namespace howdah::rpc
