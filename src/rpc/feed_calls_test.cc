// Tests clients' requests about feeds with a real AM server, over loopback.
#include "howdah/rpc/feed_calls.h"

#include <gmock/gmock.h>

#include <thread>

#include "test_loop.h"
#include "test_served_am.h"

namespace howdah::rpc {
namespace {

using ::testing::ElementsAre;

class FeedCallsTest : public ::testing::Test {
 protected:
  AmContact contact() { return {am_.address(), identities_.client}; }

  // The calls block, so they run on a separate thread while the loop runs here.
  template <typename Outcome>
  Outcome Run(const std::function<Outcome()>& call) {
    std::optional<Outcome> outcome;
    std::thread caller([&, post = loop_.post()] {
      Outcome got = call();
      post([&outcome, got = std::move(got)] { outcome = got; });
    });
    EXPECT_TRUE(loop_.RunUntil([&] { return outcome.has_value(); }));
    caller.join();
    return *outcome;
  }

  JobIdentities identities_ = *MakeJobIdentities("test");
  TestLoop loop_;
  ServedAm am_{identities_.am, loop_};
};

TEST_F(FeedCallsTest, AddressIsReturnedWhenTheAmReplies) {
  am_.on_control = [](const wire::ControlRequest& request, const std::function<void(wire::ControlReply)>& reply) {
    EXPECT_TRUE(request.feed().has_address());
    wire::ControlReply answer;
    answer.mutable_feed_address()->set_feed(request.feed().feed());
    answer.mutable_feed_address()->set_token("secret");
    answer.mutable_feed_address()->add_locations("grpc+unix:///a");
    answer.mutable_feed_address()->add_locations("grpc+tls://n:1");
    reply(answer);
  };
  const auto address =
      Run<Result<FeedAddress>>([this] { return AskFeedAddress(contact(), "train", std::chrono::seconds(60)); });
  ASSERT_TRUE(address.ok()) << address.error().message;
  EXPECT_EQ(address->feed, "train");
  EXPECT_EQ(address->token, "secret");
  EXPECT_THAT(address->locations, ElementsAre("grpc+unix:///a", "grpc+tls://n:1"));
}

TEST_F(FeedCallsTest, RefusalOfTheAmIsAnError) {
  am_.on_control = [](const wire::ControlRequest&, const std::function<void(wire::ControlReply)>& reply) {
    wire::ControlReply answer;
    answer.set_error("the job has no feed trian");
    answer.set_never(true);
    reply(answer);
  };
  const auto address =
      Run<Result<FeedAddress>>([this] { return AskFeedAddress(contact(), "trian", std::chrono::seconds(60)); });
  ASSERT_FALSE(address.ok());
  EXPECT_EQ(address.error().code, ErrorCode::kUsage);
  EXPECT_EQ(address.error().message, "the job has no feed trian");
}

TEST_F(FeedCallsTest, CloseNamesTheFeed) {
  const Status closed = Run<Status>([this] { return CloseFeed(contact(), "live", std::chrono::seconds(60)); });
  EXPECT_TRUE(closed.ok());
  ASSERT_EQ(am_.requests.size(), 1U);
  EXPECT_TRUE(am_.requests[0].feed().has_close());
  EXPECT_EQ(am_.requests[0].feed().feed(), "live");
}

}  // namespace
}  // namespace howdah::rpc
