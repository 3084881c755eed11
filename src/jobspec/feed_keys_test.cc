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
                                         "  ask: {answers: true, roles: [w], buffer: 8MiB}\n"
                                         "timeouts: {feed: 90s}"),
                                     Machine());
  EXPECT_THAT(job.problems, IsEmpty());
  FeedSpec live, train, val, ask;
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
  ask.name = "ask";
  ask.answers = true;
  ask.roles = {"w"};
  ask.buffer_bytes = int64_t{8} << 20;
  EXPECT_THAT(job.spec.feeds, ElementsAre(live, train, val, ask));
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

TEST(FeedKeys, FilesAreAbsolutePathsAndUris) {
  const ParsedJob job =
      ParseJobFile(Job("feeds:\n"
                       "  a: {from: train, format: csv, columns: [x, y]}\n"
                       "  b: {from: ['hdfs:///data/*.parquet', 'data/part-{1,2}.arrow', file:/shared/x, 'src/*.csv']}"),
                   Machine());
  EXPECT_THAT(job.problems, IsEmpty());
  ASSERT_EQ(job.spec.feeds.size(), 2u);
  EXPECT_THAT(job.spec.feeds[0].from, ElementsAre("/jobs/train"));
  EXPECT_EQ(job.spec.feeds[0].format, FeedFormat::kCsv);
  EXPECT_THAT(job.spec.feeds[0].columns, ElementsAre("x", "y"));
  EXPECT_THAT(job.spec.feeds[1].from, ElementsAre("hdfs:///data/*.parquet", "/jobs/data/part-{1,2}.arrow",
                                                  "file:///shared/x", "/jobs/src/*.csv"));
  EXPECT_EQ(job.spec.feeds[1].format, std::nullopt);
  const auto again = ReadEffective(WriteEffective(job.spec));
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(again->feeds, job.spec.feeds);
}

TEST(FeedKeys, ProblemsOfFilesNameTheirPlace) {
  const std::string long_path(size_t{64} << 10, 'x');
  const struct {
    std::string text;
    std::string problem;  // without the prefix "job.yaml:"
  } rows[] = {
      {"feeds: {a: {from: absent}}",
       "4: feeds.a.from: no such file or directory: '/jobs/absent'; relative paths start at the job file's directory"},
      {"feeds: {a: {from: 'file://host/x'}}", "4: feeds.a.from: a file URI must not name a host; write file:///path"},
      {"feeds: {a: {from: 'file:///'}}", "4: feeds.a.from: 'file:///' names no file"},
      {"feeds: {a: {from: []}}", "4: feeds.a.from: names no files; remove it, or write a path"},
      {"feeds: {a: {from: ['']}}",
       "4: feeds.a.from: has an empty path; write the path of a file, a directory or a pattern"},
      {"feeds: {a: {from: train, format: json}}",
       "4: feeds.a.format: unknown value 'json'; write one of parquet, arrow, csv, tfrecord"},
      {"feeds: {a: {format: csv}}",
       "4: feeds.a.format: selects what is read from files; set `from` as well, or remove it"},
      {"feeds: {a: {columns: [x]}}",
       "4: feeds.a.columns: selects what is read from files; set `from` as well, or remove it"},
      {"feeds: {a: {from: train, stream: true}}",
       "4: feeds.a.stream: a feed that reads files cannot be a stream; remove stream or from"},
      {"feeds: {a: {from: 'hdfs:///" + long_path + "'}}",
       "4: feeds.a.from: the names in `from` and `columns` have 65547 bytes; the limit is 65536. Write a directory or "
       "a pattern instead of single files"},
  };
  for (const auto& row : rows) {
    EXPECT_THAT(ProblemsOf(Job(row.text)), ElementsAre("job.yaml:" + row.problem)) << row.text;
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
      {"feeds:\n  ask: {answers: true, epochs: 1,\n    split: dynamic}",
       {"5: feeds.ask.epochs: has no effect on a feed with answers; remove it, or answers",
        "6: feeds.ask.split: has no effect on a feed with answers; remove it, or answers"}},
      {"feeds:\n  ask: {answers: yes please}",
       {"5: feeds.ask.answers: invalid value 'yes please'; write true or false"}},
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
