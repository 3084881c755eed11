#include "howdah/frameworks/feed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "howdah/frameworks/common/testing.h"

namespace howdah::frameworks {
namespace {

using common::Chief;
using common::JobOf;
using common::Role;
using feed::Remainder;
using feed::Split;
using jobspec::FeedRemainder;
using jobspec::FeedSpec;
using jobspec::FeedSplit;
using jobspec::Framework;
using jobspec::RoleKind;
using ::testing::ElementsAreArray;

TEST(FeedReaders, DefaultIsTheWorkersThatTrain) {
  const struct {
    jobspec::JobSpec job;
    std::vector<int> readers;
  } rows[] = {
      {JobOf(Framework::kPlain, {Role("a"), Role("b", RoleKind::kService), Role("c")}), {0, 2}},
      {JobOf(Framework::kPlain, {Role("a", RoleKind::kSetup), Role("b", RoleKind::kSidecar), Role("c")}), {2}},
      {JobOf(Framework::kPlain, {Role("ps"), Role("server")}), {0, 1}},
      {JobOf(Framework::kPytorch, {Role("worker"), Chief()}), {0, 1}},
      {JobOf(Framework::kTensorflow, {Role("ps"), Role("worker"), Role("evaluator"), Role("chief")}), {1, 3}},
      {JobOf(Framework::kTensorflow, {Role("evaluator")}), {0}},
      {JobOf(Framework::kMxnet, {Role("scheduler"), Role("server"), Role("worker")}), {2}},
  };
  for (const auto& row : rows) {
    EXPECT_THAT(FeedReadersOf(row.job, {}), ElementsAreArray(row.readers)) << row.job.roles.front().name;
  }
}

TEST(FeedReaders, NamedRolesReadInTheOrderOfTheJobFile) {
  const jobspec::JobSpec job =
      JobOf(Framework::kTensorflow, {Role("worker"), Role("evaluator", RoleKind::kSidecar), Role("ps")});
  FeedSpec feed;
  feed.roles = {"ps", "evaluator"};
  EXPECT_THAT(FeedReadersOf(job, feed), ElementsAreArray({1, 2}));
}

TEST(FeedOptions, SplitFollowsTheReaders) {
  const jobspec::RoleSpec worker = Role("worker"), evaluator = Role("eval", RoleKind::kSidecar);
  const struct {
    jobspec::JobSpec job;
    std::vector<std::string> roles;
    std::optional<FeedSplit> split;
    Split result;
    bool restart_alone;
  } rows[] = {
      {JobOf(Framework::kPlain, {worker}), {}, std::nullopt, Split::kDynamic, true},
      {JobOf(Framework::kPlain, {worker}), {}, FeedSplit::kEqual, Split::kEqual, false},
      {JobOf(Framework::kPlain, {worker}), {}, FeedSplit::kAll, Split::kAll, false},
      {JobOf(Framework::kTensorflow, {worker}), {}, std::nullopt, Split::kEqual, false},
      {JobOf(Framework::kTensorflow, {worker, Role("ps")}), {}, std::nullopt, Split::kDynamic, true},
      {JobOf(Framework::kPytorch, {worker, evaluator}), {}, std::nullopt, Split::kEqual, false},
      {JobOf(Framework::kPytorch, {worker, evaluator}), {}, FeedSplit::kDynamic, Split::kDynamic, false},
      {JobOf(Framework::kPytorch, {worker, evaluator}), {"eval"}, std::nullopt, Split::kDynamic, true},
      {JobOf(Framework::kPytorch, {worker, evaluator}), {"eval", "worker"}, std::nullopt, Split::kEqual, false},
      {JobOf(Framework::kHorovod, {worker}), {}, std::nullopt, Split::kEqual, false},
      {JobOf(Framework::kXgboost, {worker}), {}, std::nullopt, Split::kEqual, false},
  };
  for (const auto& row : rows) {
    FeedSpec feed;
    feed.roles = row.roles;
    feed.split = row.split;
    const feed::Options options = FeedOptionsOf(row.job, feed);
    EXPECT_EQ(options.split, row.result) << &row - rows;
    EXPECT_EQ(options.ranks_restart_alone, row.restart_alone) << &row - rows;
  }
}

TEST(FeedOptions, ValuesComeFromTheJobFile) {
  jobspec::JobSpec job = JobOf(Framework::kPytorch, {Role("worker")});
  const feed::Options defaults = FeedOptionsOf(job, {});
  EXPECT_EQ(defaults.remainder, Remainder::kDrop);
  EXPECT_EQ(defaults.passes, 1);
  EXPECT_EQ(defaults.shuffle, 0);
  EXPECT_EQ(defaults.buffer, int64_t{256} << 20);
  EXPECT_FALSE(defaults.recompute);
  EXPECT_FALSE(defaults.accept_changes);
  EXPECT_EQ(defaults.lost_after, std::chrono::minutes(10));

  job.timeouts.feed = std::chrono::seconds(30);
  FeedSpec feed;
  feed.remainder = FeedRemainder::kRepeat;
  feed.epochs = 3;
  feed.shuffle = 10'000;
  feed.seed = 7;
  feed.buffer_bytes = 1 << 20;
  feed.recompute = true;
  feed.changed = jobspec::FeedChanged::kAccept;
  const feed::Options options = FeedOptionsOf(job, feed);
  EXPECT_EQ(options.remainder, Remainder::kRepeat);
  EXPECT_EQ(options.passes, 3);
  EXPECT_EQ(options.shuffle, 10'000);
  EXPECT_EQ(options.seed, 7U);
  EXPECT_EQ(options.buffer, 1 << 20);
  EXPECT_TRUE(options.recompute);
  EXPECT_TRUE(options.accept_changes);
  EXPECT_EQ(options.lost_after, std::chrono::seconds(30));
  feed.remainder = FeedRemainder::kShort;
  EXPECT_EQ(FeedOptionsOf(job, feed).remainder, Remainder::kShort);
}

}  // namespace
}  // namespace howdah::frameworks
