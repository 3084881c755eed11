#include "rejected_requests.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace howdah::backend::yarn::am {
namespace {

using hadoop::yarn::Resource;
using testing::ElementsAre;
using testing::IsEmpty;

Error Rejection(const std::string& exception = "InvalidResourceRequestException") {
  return {ErrorCode::kFailed, "Invalid resource request!\nat SchedulerUtils",
          "org.apache.hadoop.yarn.exceptions." + exception};
}

// Role 0 needs 1 GiB per task, role 1 needs 8 GiB and 2 GPUs.
Resource SizeOf(int role) { return role == 0 ? Resource{1024, 1, {}} : Resource{8192, 4, {{"yarn.io/gpu", 2}}}; }

const Resource kSmall{4096, 8, {}};
const Resource kLarge{65536, 64, {{"yarn.io/gpu", 8}}};

class RejectedRequestsTest : public testing::Test {
 protected:
  std::set<int> Take(const std::optional<Resource>& largest, bool together = false) {
    return rejected_.TakeRepeatable(together, largest, SizeOf);
  }

  RejectedRequests rejected_;
};

TEST_F(RejectedRequestsTest, RequestWaitsUntilANodeIsLargeEnough) {
  EXPECT_TRUE(rejected_.Add(Rejection(), {{0, 2}, {1, 3}}));
  EXPECT_THAT(Take(kSmall), ElementsAre(0));
  EXPECT_THAT(Take(kSmall), IsEmpty());
  EXPECT_TRUE(rejected_.Add(Rejection(), {{1, 1}})) << "another task of the role was lost";
  EXPECT_THAT(Take(kLarge), ElementsAre(1));
  EXPECT_THAT(Take(kLarge), IsEmpty());
}

TEST_F(RejectedRequestsTest, RolesOfAGangWaitForEachOther) {
  EXPECT_TRUE(rejected_.Add(Rejection(), {{0, 2}, {1, 3}}));
  EXPECT_THAT(Take(kSmall, /*together=*/true), IsEmpty());
  EXPECT_THAT(Take(kLarge, /*together=*/true), ElementsAre(0, 1));
}

// Such a limit is that of the queue (yarn.scheduler.capacity.PATH.maximum-allocation-mb).
TEST_F(RejectedRequestsTest, RequestThatIsRejectedThoughNodesAreLargeEnoughIsNeverGranted) {
  EXPECT_TRUE(rejected_.Add(Rejection(), {{1, 3}})) << "a node may have been lost";
  EXPECT_THAT(Take(kLarge), ElementsAre(1));
  rejected_.OnAnswer();  // to a request that was under way
  EXPECT_FALSE(rejected_.Add(Rejection(), {{1, 3}}));
}

TEST_F(RejectedRequestsTest, RejectionAfterAnAcceptedRequestIsTheFirstAgain) {
  EXPECT_TRUE(rejected_.Add(Rejection(), {{1, 3}}));
  EXPECT_THAT(Take(kLarge), ElementsAre(1));
  rejected_.OnAnswer();
  rejected_.OnAnswer();
  EXPECT_TRUE(rejected_.Add(Rejection(), {{1, 3}})) << "the node was lost again";
}

TEST_F(RejectedRequestsTest, RequestOfALargerRoleDoesNotDoomARepeatedOne) {
  EXPECT_TRUE(rejected_.Add(Rejection(), {{0, 2}, {1, 3}}));
  EXPECT_THAT(Take(kSmall), ElementsAre(0));
  EXPECT_TRUE(rejected_.Add(Rejection(), {{0, 2}, {1, 1}}));
  EXPECT_THAT(Take(kLarge), ElementsAre(0, 1));
}

TEST_F(RejectedRequestsTest, RequestIsRepeatedWhileTheNodesAreUnknown) {
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(rejected_.Add(Rejection(), {{1, 3}}));
    EXPECT_THAT(Take(std::nullopt), ElementsAre(1));
  }
}

TEST_F(RejectedRequestsTest, RequestWithAnotherFaultIsNeverGranted) {
  EXPECT_FALSE(rejected_.Add(Rejection("InvalidLabelResourceRequestException"), {{1, 3}}));
}

TEST_F(RejectedRequestsTest, ReasonLastsUntilTheRequestsAreAccepted) {
  EXPECT_TRUE(rejected_.Add(Rejection(), {{0, 2}, {1, 3}}));
  rejected_.OnAnswer();
  rejected_.OnAnswer();
  EXPECT_EQ(rejected_.reason(), "Invalid resource request!");
  for (const auto& largest : {kSmall, kLarge}) {
    EXPECT_EQ(rejected_.reason(), "Invalid resource request!");
    Take(largest);
    rejected_.OnAnswer();
    rejected_.OnAnswer();
  }
  EXPECT_EQ(rejected_.reason(), "");
}

TEST_F(RejectedRequestsTest, RejectedCancellationLosesNothing) {
  EXPECT_TRUE(rejected_.Add(Rejection(), {}));
  EXPECT_THAT(Take(kLarge), IsEmpty());
}

}  // namespace
}  // namespace howdah::backend::yarn::am
