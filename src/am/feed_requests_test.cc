#include "feed_requests.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <list>
#include <optional>

#include "feed_token.h"

namespace howdah::am {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

jobspec::JobSpec JobWith(const std::vector<std::string>& feeds) {
  jobspec::JobSpec spec;
  for (const std::string& name : feeds) {
    jobspec::FeedSpec feed;
    feed.name = name;
    spec.feeds.push_back(feed);
  }
  return spec;
}

wire::FeedRequest AddressOf(const std::string& feed) {
  wire::FeedRequest request;
  request.set_feed(feed);
  request.mutable_address();
  return request;
}

class FeedRequestsTest : public ::testing::Test {
 protected:
  explicit FeedRequestsTest(const std::vector<std::string>& feeds = {"train", "val"}) : spec_(JobWith(feeds)) {}

  // Returns the place of the reply to the request; nullopt until the reply has come.
  const std::optional<wire::ControlReply>& Ask(const wire::FeedRequest& request) {
    auto& reply = replies_.emplace_back();
    requests_.Answer(request, [&reply](wire::ControlReply answer) {
      EXPECT_FALSE(reply) << "only one reply";
      reply = std::move(answer);
    });
    return reply;
  }

  boost::asio::io_context loop_;
  jobspec::JobSpec spec_;
  Result<std::vector<std::string>> locations_ = std::vector<std::string>();
  std::vector<std::string> closed_;
  std::function<void(Status)> done_;
  std::list<std::optional<wire::ControlReply>> replies_;
  FeedRequests requests_{loop_,
                         spec_,
                         {.locations = [this](const std::string&) { return locations_; },
                          .token = [](const std::string& feed) { return "token of " + feed; },
                          .close =
                              [this](const std::string& feed, std::function<void(Status)> done) {
                                closed_.push_back(feed);
                                done_ = std::move(done);
                              }},
                         std::chrono::milliseconds(1)};
};

TEST_F(FeedRequestsTest, AddressIsKnownWhenAnExecutorListens) {
  locations_ = std::vector<std::string>{"grpc+unix:///a", "grpc+tls://n:1"};
  const auto& reply = Ask(AddressOf("val"));
  ASSERT_TRUE(reply);
  EXPECT_THAT(reply->error(), IsEmpty());
  EXPECT_EQ(reply->feed_address().feed(), "val");
  EXPECT_EQ(reply->feed_address().token(), "token of val");
  EXPECT_THAT(reply->feed_address().locations(), ElementsAre("grpc+unix:///a", "grpc+tls://n:1"));
}

TEST_F(FeedRequestsTest, RequestForAnAddressWaitsForAnExecutor) {
  const auto& first = Ask(AddressOf("train"));
  const auto& second = Ask(AddressOf("val"));
  requests_.OnLocationsChanged();
  EXPECT_FALSE(first);
  locations_ = std::vector<std::string>{"grpc+tls://n:1"};
  requests_.OnLocationsChanged();
  ASSERT_TRUE(first);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->feed_address().feed(), "val");
  loop_.run();  // the time limits of both requests have ended without a second reply
}

TEST_F(FeedRequestsTest, RequestForAnAddressFailsAfterTheTimeLimit) {
  const auto& reply = Ask(AddressOf("train"));
  EXPECT_FALSE(reply);
  loop_.run();
  ASSERT_TRUE(reply);
  EXPECT_THAT(reply->error(), HasSubstr("no task that reads the feed train has started within"));
  EXPECT_FALSE(reply->never());
}

TEST_F(FeedRequestsTest, EndOfTheFeedFailsRequestsForItsAddress) {
  const auto& reply = Ask(AddressOf("train"));
  locations_ = Failed("the feed train has ended");
  requests_.OnLocationsChanged();
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->error(), "the feed train has ended");
}

TEST_F(FeedRequestsTest, CloseIsAnsweredWhenItIsDone) {
  wire::FeedRequest request;
  request.set_feed("train");
  request.mutable_close();
  const auto& reply = Ask(request);
  EXPECT_THAT(closed_, ElementsAre("train"));
  EXPECT_FALSE(reply);
  done_(Status());
  ASSERT_TRUE(reply);
  EXPECT_THAT(reply->error(), IsEmpty());
  const auto& second = Ask(request);
  done_(Failed("the disk is full"));
  EXPECT_EQ(second->error(), "the disk is full");
}

TEST_F(FeedRequestsTest, UnknownNamesAreRefused) {
  const std::pair<std::string, std::string> rows[] = {{"tran", "the job has no feed tran; its feeds are train, val"},
                                                      {"", "the job has several feeds (train, val); name one of them"}};
  for (const auto& [name, error] : rows) {
    const auto& reply = Ask(AddressOf(name));
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->error(), error);
    EXPECT_TRUE(reply->never());
  }
}

TEST_F(FeedRequestsTest, UnknownRequestsAreRefused) {
  wire::FeedRequest request;
  request.set_feed("train");
  EXPECT_THAT(Ask(request)->error(), HasSubstr("does not support this request"));
}

class OneFeedTest : public FeedRequestsTest {
 protected:
  OneFeedTest() : FeedRequestsTest({"live"}) {}
};

TEST_F(OneFeedTest, NameMayBeOmitted) {
  locations_ = std::vector<std::string>{"grpc+tls://n:1"};
  EXPECT_EQ(Ask(AddressOf(""))->feed_address().feed(), "live");
}

class NoFeedTest : public FeedRequestsTest {
 protected:
  NoFeedTest() : FeedRequestsTest(std::vector<std::string>()) {}
};

TEST_F(NoFeedTest, EveryRequestIsRefused) {
  EXPECT_THAT(Ask(AddressOf("train"))->error(), HasSubstr("the job has no feeds"));
}

// The expected HMAC was computed with Python's module hmac.
TEST(FeedToken, DependsOnTheKeyOfTheAmAndTheName) {
  const rpc::Identity am{.ca_certificate = "", .certificate = "", .private_key = "key"};
  EXPECT_EQ(FeedToken(am, "train"), "87698ec8e7e35343281e757a68988a67e4efe2f0c2dd211e51db31307fb95516");
  EXPECT_NE(FeedToken(am, "val"), FeedToken(am, "train"));
}

}  // namespace
}  // namespace howdah::am
