#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing.h"

namespace howdah::jobspec {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::IsEmpty;
using testing::Machine;
using testing::ProblemsOf;

// A job with two roles, followed by `more` from line 4 on.
std::string Job(const std::string& more) {
  return "roles:\n  w: {memory: 1GiB, command: date}\n  s: {memory: 1GiB, command: date, kind: setup}\n" + more + "\n";
}

TEST(FeedKeys, EveryKeyIsRead) {
  const ParsedJob job = ParseJobFile(Job("feeds:\n"
                                         "  live:\n"
                                         "  train: {epochs: 3, split: dynamic, remainder: repeat, shuffle: 10000,\n"
                                         "    seed: 7, roles: w, buffer: 64MiB, spool: 1GiB, recompute: true,\n"
                                         "    changed: accept}\n"
                                         "  val: {stream: true, split: all, remainder: short}\n"
                                         "timeouts: {feed: 90s}"),
                                     Machine());
  EXPECT_THAT(job.problems, IsEmpty());
  FeedSpec live, train, val;
  live.name = "live";
  train.name = "train";
  train.epochs = 3;
  train.split = FeedSplit::kDynamic;
  train.remainder = FeedRemainder::kRepeat;
  train.shuffle = 10'000;
  train.seed = 7;
  train.roles = {"w"};
  train.buffer_bytes = int64_t{64} << 20;
  train.spool_bytes = int64_t{1} << 30;
  train.recompute = true;
  train.changed = FeedChanged::kAccept;
  val.name = "val";
  val.stream = true;
  val.split = FeedSplit::kAll;
  val.remainder = FeedRemainder::kShort;
  EXPECT_THAT(job.spec.feeds, ElementsAre(live, train, val));
  EXPECT_EQ(job.spec.timeouts.feed, std::chrono::seconds(90));
}

TEST(FeedKeys, DefaultsAreThoseOfTheReferencePage) {
  const ParsedJob job = ParseJobFile(Job("feeds: {train: {}}"), Machine());
  EXPECT_EQ(job.spec.feeds.at(0).split, std::nullopt);
  EXPECT_EQ(job.spec.timeouts.feed, std::chrono::minutes(10));
  const std::string page = ReferencePage();
  for (const char* row :
       {"| `feeds.NAME.epochs` | whole number, 1 or more | `1` |", "| `feeds.NAME.buffer` | memory size | `256MiB` |",
        "| `timeouts.feed` | duration | `10m` |"}) {
    EXPECT_THAT(page, ::testing::HasSubstr(row));
  }
}

TEST(FeedKeys, ProblemsNameTheirPlace) {
  std::string many = "feeds: {";
  for (int i = 0; i < 17; ++i) many += "f" + std::to_string(i) + ": {}, ";
  const std::string bad_name =
      "invalid feed name; use at most 32 lower-case letters, digits, _ and -, starting with a letter";
  const struct {
    std::string text;
    std::vector<std::string> problems;  // without the prefix "job.yaml:"
  } rows[] = {
      {"feeds: train", {"4: feeds: must be a map of feeds by name; write for example train: {shuffle: 10000}"}},
      {"feeds: [train]", {"4: feeds: must be a map of feeds by name; write for example train: {shuffle: 10000}"}},
      {many + "}", {"4: feeds: has 17 feeds; a job has at most 16"}},
      {"feeds: {shuffle: 10}", {"4: feeds.shuffle: is a key of a feed; indent it below the name of its feed"}},
      {"feeds: {train: 10}", {"4: feeds.train: must be a map, as in 'key: value'"}},
      {"feeds: {Train: {}}", {"4: feeds.Train: " + bad_name}},
      {"feeds: {9: {}}", {"4: feeds.9: " + bad_name}},
      {"feeds: {" + std::string(33, 'x') + ": {}}", {"4: feeds." + std::string(33, 'x') + ": " + bad_name}},
      {"feeds:\n  train: {split: equally}", {"5: feeds.train.split: unknown value 'equally'; did you mean 'equal'?"}},
      {"feeds:\n  train: {shuffle: 1048577}",
       {"5: feeds.train.shuffle: '1048577' is too large; write a whole number from 0 to 1048576"}},
      {"feeds:\n  train: {shuffel: 1}", {"5: feeds.train.shuffel: unknown key; did you mean 'shuffle'?"}},
      {"feeds:\n  live: {stream: true,\n    epochs: 2}",
       {"6: feeds.live.epochs: a stream has only one pass; remove epochs, or stream"}},
      {"feeds:\n  train: {roles: [v]}",
       {"5: feeds.train.roles: unknown role 'v'; write the name of a role, or remove it"}},
      {"feeds:\n  train: {roles: [w, w]}", {"5: feeds.train.roles: names role 'w' twice; remove one of them"}},
      {"feeds:\n  train: {roles: [s]}",
       {"5: feeds.train.roles: role 's' is a setup role, which ends before the other roles start; name other roles"}},
      {"framework: mpi\nfeeds: {train: {}}",
       {"5: feeds: an MPI job has no feeds, because mpirun decides how many ranks each task has; remove it"}},
      {"timeouts: {feed: 0s}", {"4: timeouts.feed: must be more than 0; write for example 30s"}},
      {"shuffle: 10", {"4: shuffle: unknown key here; did you mean feeds.NAME.shuffle?"}},
  };
  for (const auto& row : rows) {
    std::vector<std::string> want;
    for (const std::string& problem : row.problems) want.push_back("job.yaml:" + problem);
    EXPECT_THAT(ProblemsOf(Job(row.text)), ElementsAreArray(want)) << row.text;
  }
}

TEST(FeedKeys, ElasticHorovodJobsHaveNoFeeds) {
  const std::string job =
      "framework: horovod\nroles: {w: {memory: 1GiB, command: date, instances: {min: 1, max: 2}}}\nfeeds: {train: "
      "{}}\n";
  EXPECT_THAT(ProblemsOf(job),
              ElementsAre("job.yaml:3: feeds: an elastic Horovod job has no feeds, because its processes continue when "
                          "their number changes; write a fixed number of instances, or remove it"));
}

}  // namespace
}  // namespace howdah::jobspec
