// Tests a client that follows a job through the AM's server, over loopback.
#include "howdah/rpc/am_follow.h"

#include <gmock/gmock.h>
#include <poll.h>

#include <map>
#include <thread>

#include "howdah/rpc/am_server.h"
#include "howdah/rpc/executor_link.h"
#include "test_loop.h"

namespace howdah::rpc {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;

wire::FollowReply Journal(const std::string& bytes) {
  wire::FollowReply reply;
  reply.set_journal(bytes);
  return reply;
}

wire::FollowReply JobEnded() {
  wire::FollowReply reply;
  reply.mutable_ended()->set_job_ended(true);
  return reply;
}

struct Am {
  Am(const Identity& identity, TestLoop& loop) {
    AmServer::Handlers handlers;
    handlers.on_message = [](ConnectionId, const wire::FromExecutor&) {};
    handlers.on_closed = [](ConnectionId) {};
    handlers.on_follow = [this](ConnectionId id, wire::FollowRequest request) {
      requests.emplace(id, std::move(request));
      newest = id;
    };
    handlers.on_follow_written = [this](ConnectionId id) { ++written[id]; };
    handlers.on_follower_gone = [this](ConnectionId id) { gone.push_back(id); };
    auto started = AmServer::Start("127.0.0.1", identity, loop.post(), handlers);
    EXPECT_TRUE(started.ok()) << started.error().message;
    if (started.ok()) server = std::move(*started);
  }
  std::string address() const { return "127.0.0.1:" + std::to_string(server->port()); }

  std::map<ConnectionId, wire::FollowRequest> requests;
  std::map<ConnectionId, int> written;
  std::vector<ConnectionId> gone;
  ConnectionId newest = 0;
  std::unique_ptr<AmServer> server;
};

class AmFollowTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { identities_ = new JobIdentities(*MakeJobIdentities("test")); }
  static void TearDownTestSuite() { delete identities_; }

  std::unique_ptr<AmFollow> Follow(const Identity& identity, const wire::FollowRequest& request = {}) {
    return AmFollow::Start(am_.address(), identity, request, seconds(30));
  }
  // Returns the next reply, or nullopt once the call has ended.
  static std::optional<wire::FollowReply> Await(AmFollow& follow) {
    for (;;) {
      if (auto reply = follow.Next()) return reply;
      if (follow.ended()) return std::nullopt;
      pollfd wanted{follow.fd(), POLLIN, 0};
      if (poll(&wanted, 1, 60'000) != 1) return std::nullopt;
    }
  }

  static JobIdentities* identities_;
  TestLoop loop_;
  Am am_{identities_->am, loop_};
};
JobIdentities* AmFollowTest::identities_ = nullptr;

TEST_F(AmFollowTest, RepliesArriveInOrderUntilEnd) {
  wire::FollowRequest request;
  request.set_journal_offset(17);
  request.mutable_logs()->set_role("worker");
  const auto follow = Follow(identities_->client, request);
  ASSERT_TRUE(loop_.RunUntil([&] { return am_.requests.size() == 1; }));
  const ConnectionId id = am_.newest;
  EXPECT_EQ(am_.requests[id].SerializeAsString(), request.SerializeAsString());
  for (int i = 0; i < 100; ++i) am_.server->SendToFollower(id, Journal(std::to_string(i)));
  am_.server->SendToFollower(id, JobEnded());
  am_.server->Close(id);
  ASSERT_TRUE(loop_.RunUntil([&] { return am_.written[id] == 101; }));
  for (int i = 0; i < 100; ++i) EXPECT_EQ(Await(*follow)->journal(), std::to_string(i));
  EXPECT_FALSE(follow->ended());  // one reply has not been read
  EXPECT_TRUE(Await(*follow)->ended().job_ended());
  EXPECT_EQ(Await(*follow), std::nullopt);
  ASSERT_TRUE(follow->ended());
  EXPECT_TRUE(follow->ended()->ok());
  ASSERT_TRUE(loop_.RunUntil([&] { return am_.gone.size() == 1; }));
}

TEST_F(AmFollowTest, ClientThatStopsReadingPausesItsOwnStreamOnly) {
  const auto slow = Follow(identities_->client), quick = Follow(identities_->client);
  ASSERT_TRUE(loop_.RunUntil([&] { return am_.requests.size() == 2; }));
  const ConnectionId first = am_.requests.begin()->first, second = am_.requests.rbegin()->first;
  constexpr int kReplies = 512, kBytes = 64 << 10;  // 32 MiB, of which 1 MiB is read ahead
  const std::string block(kBytes, 'x');
  for (int i = 0; i < kReplies; ++i) {
    am_.server->SendToFollower(first, Journal(block));
    am_.server->SendToFollower(second, Journal(block));
  }
  // The AM cannot distinguish the two clients. The client that reads receives everything. The AM stops sending to the
  // other client, but its loop continues, because it sends a message only after the previous message to the same client
  // was written.
  int read = 0;
  std::thread reader([&] {
    for (; read < kReplies; ++read) {
      const auto reply = Await(*quick);
      if (!reply || reply->journal().size() != block.size()) return;
    }
  });
  EXPECT_TRUE(loop_.RunUntil([&] { return std::max(am_.written[first], am_.written[second]) == kReplies; }));
  reader.join();
  ASSERT_EQ(read, kReplies);
  // Read-ahead (1 MiB), window, and buffers of the kernel and gRPC together are much smaller than 32 MiB.
  EXPECT_LT(std::min(am_.written[first], am_.written[second]), kReplies / 2);
  EXPECT_FALSE(slow->ended());
}

TEST_F(AmFollowTest, DisconnectedClientIsReported) {
  auto follow = Follow(identities_->client);
  ASSERT_TRUE(loop_.RunUntil([&] { return am_.requests.size() == 1; }));
  follow.reset();
  ASSERT_TRUE(loop_.RunUntil([&] { return am_.gone.size() == 1; }));
  EXPECT_THAT(am_.gone, ElementsAre(am_.newest));
  am_.server->SendToFollower(am_.newest, JobEnded());  // ignored, because the client is gone
}

TEST_F(AmFollowTest, FollowEndsAsUnavailableWhenTheAmShutsDown) {
  const auto follow = Follow(identities_->client);
  ASSERT_TRUE(loop_.RunUntil([&] { return am_.requests.size() == 1; }));
  am_.server->SendToFollower(am_.newest, Journal("a"));
  ASSERT_EQ(Await(*follow)->journal(), "a");
  am_.server.reset();
  EXPECT_EQ(Await(*follow), std::nullopt);
  ASSERT_TRUE(follow->ended());
  EXPECT_EQ(follow->ended()->error().code, ErrorCode::kUnavailable) << follow->ended()->error().message;
  EXPECT_TRUE(am_.gone.empty());
}

TEST_F(AmFollowTest, RefusedConnectionIsUnavailableImmediately) {
  const std::string address = am_.address();
  am_.server.reset();
  const auto follow = AmFollow::Start(address, identities_->client, {}, seconds(30));
  EXPECT_EQ(Await(*follow), std::nullopt);
  ASSERT_TRUE(follow->ended());
  EXPECT_EQ(follow->ended()->error(),
            (Error{ErrorCode::kUnavailable, "following the job at its AM at " + address + ": Connection refused"}));
}

TEST_F(AmFollowTest, OnlyClientsMayFollow) {
  const auto follow = Follow(identities_->executor);
  std::optional<Status> ended;
  std::thread waiter([&, post = loop_.post()] {
    Await(*follow);
    post([&] { ended = follow->ended(); });
  });
  EXPECT_TRUE(loop_.RunUntil([&] { return ended.has_value(); }));
  waiter.join();
  ASSERT_FALSE(ended->ok());
  EXPECT_EQ(ended->error().code, ErrorCode::kFailed);
  EXPECT_THAT(ended->error().message, HasSubstr("only howdah-client may call"));
  EXPECT_TRUE(am_.requests.empty());
}

TEST_F(AmFollowTest, LinkReportsWhenQueueIsSent) {
  int sent = 0;
  ExecutorLink::Handlers handlers;
  handlers.on_sent = [&] { ++sent; };
  handlers.on_closed = [](const std::string&) {};
  const auto link = ExecutorLink::Connect(am_.address(), identities_->executor, loop_.post(), handlers);
  for (int round = 1; round <= 3; ++round) {
    link->Send({});
    link->Send({});
    ASSERT_TRUE(loop_.RunUntil([&] { return sent == round; }));
  }
}

}  // namespace
}  // namespace howdah::rpc
