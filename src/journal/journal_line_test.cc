#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "howdah/journal/job_view.h"
#include "test_entries.h"

namespace howdah::journal {
namespace {

TEST(JournalLine, EveryEntrySurvivesARoundTrip) {
  for (unsigned seed = 0; seed < 2000; ++seed) {
    const core::JournalEntry entry = RandomChanges(seed).Next();
    const std::string line = EncodeEntry(entry);
    EXPECT_EQ(line.find('\n'), std::string::npos) << line;
    const auto back = DecodeEntry(line);
    ASSERT_TRUE(back.has_value()) << line;
    EXPECT_EQ(*back, entry) << line;
  }
}

TEST(JournalLine, HasTheDocumentedFormat) {
  auto change = TaskChange(core::TaskChanged::Type::kExited, "worker", 1, core::TaskState::kFailed, 2);
  change.exit = ExitStatus{7, std::nullopt};
  change.reason = "worker:1 failed";
  EXPECT_EQ(EncodeEntry({At(5), change}),
            R"({"time":"2026-11-21T00:00:05.000Z","type":"TaskExited","role":"worker","index":1,"state":"FAILED",)"
            R"("attempt":2,"exit_code":7,"reason":"worker:1 failed"})");
  change.usage = core::Usage{0, 4096, 1.5};
  EXPECT_NE(
      EncodeEntry({At(5), change}).find(R"("usage":{"memory_bytes":0,"memory_peak_bytes":4096,"cpu_seconds":1.5})"),
      std::string::npos);
  change.usage->memory_average_bytes = 2048;
  change.usage->gpu = core::GpuUse{0.25, 0.5, 0.125, 0.75};
  EXPECT_NE(EncodeEntry({At(5), change})
                .find(R"("cpu_seconds":1.5,"memory_average_bytes":2048,"gpu":{"utilisation_average":0.25,)"
                      R"("utilisation_peak":0.5,"memory_average":0.125,"memory_peak":0.75}})"),
            std::string::npos);
  change.exit = ExitStatus{std::nullopt, 11};
  EXPECT_NE(EncodeEntry({At(5), change}).find(R"("signal":"SIGSEGV")"), std::string::npos);
}

TEST(JournalLine, LeftFilesHaveTheDocumentedFormat) {
  auto change = TaskChange(core::TaskChanged::Type::kExited, "worker", 1, core::TaskState::kSucceeded);
  const std::string before = EncodeEntry({At(5), change});
  EXPECT_EQ(before.find("left_files"), std::string::npos) << before;
  EXPECT_EQ(std::get<core::TaskChanged>(DecodeEntry(before)->change).left_files, std::nullopt);
  change.left_files = core::LeftFiles{.count = 2, .bytes = 1000, .names = {"model.pt", "\xff"}};
  const std::string line = EncodeEntry({At(5), change});
  EXPECT_NE(line.find(R"("left_files":{"count":2,"bytes":1000,"names":["model.pt",")"
                      "\uFFFD"
                      R"("]})"),
            std::string::npos)
      << line;
  // A damaged journal cannot make a reader store more names than an executor may report.
  std::string many = line;
  many.replace(many.find(R"("model.pt")"), 10, R"(1,"a","b","c","d")");
  EXPECT_EQ(std::get<core::TaskChanged>(DecodeEntry(many)->change).left_files,
            (core::LeftFiles{2, 1000, {"a", "b", "c"}}));
}

TEST(JournalLine, ContainersHaveTheDocumentedFormat) {
  core::ContainerChanged change{.type = core::ContainerChanged::Type::kGranted, .container = "c1", .node = "node7"};
  change.granted = core::Resources{1024, 2, 1, {{"example.com/fpga", 3}}};
  const std::string line = EncodeEntry({At(5), change});
  EXPECT_EQ(line, R"({"time":"2026-11-21T00:00:05.000Z","type":"ContainerGranted","container":"c1","node":"node7",)"
                  R"("granted":{"memory_bytes":1024,"vcores":2,"gpus":1,"other":{"example.com/fpga":3}}})");
  EXPECT_EQ(DescribeEntry({At(5), change}),
            "00:00:05.000  ContainerGranted  c1  on node7  1 KiB, 2 vcores, 1 GPU, 3 example.com/fpga");
  change = {.type = core::ContainerChanged::Type::kReleased, .container = "c1"};
  EXPECT_EQ(EncodeEntry({At(5), change}),
            R"({"time":"2026-11-21T00:00:05.000Z","type":"ContainerReleased","container":"c1"})");
  std::string damaged = line;
  damaged.replace(damaged.find("1024"), 4, R"("x")");
  EXPECT_EQ(std::get<core::ContainerChanged>(DecodeEntry(damaged)->change).granted->memory_bytes, 0);
}

TEST(JournalLine, CauseHasTheDocumentedFormat) {
  auto change = JobChange(core::JobChanged::Type::kStopping);
  change.cause = core::Cause{core::Cause::Kind::kExit, "worker", 1, 0};
  EXPECT_NE(EncodeEntry({At(5), change}).find(R"("cause":{"kind":"exit","role":"worker","index":1,"attempt":0})"),
            std::string::npos);
  change.cause = core::Cause{core::Cause::Kind::kGangTimeout};
  const std::string line = EncodeEntry({At(5), change});
  EXPECT_NE(line.find(R"("cause":{"kind":"gang_timeout"})"), std::string::npos) << line;
  const auto later = DecodeEntry(std::string(line).replace(line.find("gang_timeout"), 12, "later_version"));
  ASSERT_TRUE(later.has_value());
  EXPECT_EQ(std::get<core::JobChanged>(later->change).cause, std::nullopt);
}

TEST(JournalLine, EveryTypeHasADistinctWord) {
  std::vector<std::string> words;
  for (int type = 0; type < 8; ++type) {
    const auto job = JobChange(static_cast<core::JobChanged::Type>(type));
    const auto task = TaskChange(static_cast<core::TaskChanged::Type>(type), "w", 0, core::TaskState::kPending);
    const core::ContainerChanged container{.type = static_cast<core::ContainerChanged::Type>(type % 3)};
    std::vector<std::string> lines = {EncodeEntry({At(0), job}), EncodeEntry({At(0), task})};
    if (type < 3) lines.push_back(EncodeEntry({At(0), container}));
    for (const auto& line : lines) {
      words.push_back(nlohmann::json::parse(line)["type"]);
      EXPECT_FALSE(words.back().empty());
    }
  }
  std::sort(words.begin(), words.end());
  EXPECT_EQ(std::adjacent_find(words.begin(), words.end()), words.end());
}

TEST(JournalLine, TornUnknownAndInvalidLinesAreRejected) {
  const std::string whole =
      EncodeEntry({At(5), TaskChange(core::TaskChanged::Type::kStarted, "worker", 1, core::TaskState::kRunning)});
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_EQ(DecodeEntry(std::string_view(whole).substr(0, size)), std::nullopt) << size;
  }
  for (const char* line : {
           "",
           "{}",
           "[]",
           "7",
           "null",
           "\xff\xfe",
           R"({"time":"2026-11-21T00:00:05.000Z"})",
           R"({"time":"2026-11-21T00:00:05.000Z","type":"TaskTeleported","role":"w","index":0})",
           R"({"time":"yesterday","type":"RoleScaled","role":"w","from":1,"to":2,"by":"ann"})",
           R"({"time":"2026-11-21T00:00:05.000Z","type":"TaskLost","role":"w","index":-1,"state":"LOST","attempt":0})",
           R"({"time":"2026-11-21T00:00:05.000Z","type":"TaskLost","role":"w","index":99999999999,"state":"LOST"})",
           R"({"time":"2026-11-21T00:00:05.000Z","type":"JobSubmitted","id":"x",)"
           R"("roles":[{"name":"w","instances":2000000000}]})",
           R"({"time":"2026-11-21T00:00:05.000Z","type":"JobSubmitted","id":"x",)"
           R"("roles":[{"name":"a","instances":60000},{"name":"b","instances":60000}]})",
       }) {
    EXPECT_EQ(DecodeEntry(line), std::nullopt) << line;
  }
}

TEST(JournalLine, FieldsOfLaterVersionsAreIgnored) {
  const auto entry = DecodeEntry(R"({"time":"2026-11-21T00:00:05.000Z","type":"TaskStarted","role":"w","index":0,)"
                                 R"("state":"RUNNING","attempt":0,"mood":{"deep":[1]},"port":"not a number"})");
  ASSERT_TRUE(entry.has_value());
  EXPECT_EQ(std::get<core::TaskChanged>(entry->change),
            TaskChange(core::TaskChanged::Type::kStarted, "w", 0, core::TaskState::kRunning));
}

TEST(JournalLine, InvalidUtf8IsReplaced) {
  auto change = JobChange(core::JobChanged::Type::kFinished, core::JobState::kFailed);
  change.reason = "it said \xff\xfe";
  const auto back = DecodeEntry(EncodeEntry({At(0), change}));
  ASSERT_TRUE(back.has_value());
  EXPECT_TRUE(std::get<core::JobChanged>(back->change).reason->starts_with("it said "));
}

TEST(JournalLine, DescriptionIsOneReadableLine) {
  auto change = TaskChange(core::TaskChanged::Type::kExited, "worker", 1, core::TaskState::kFailed);
  change.exit = ExitStatus{7, std::nullopt};
  change.reason = "two\nlines";
  EXPECT_EQ(DescribeEntry({At(83), change}),
            "00:01:23.000  TaskExited  worker:1  FAILED  attempt 0  exit code 7  two lines");
  EXPECT_EQ(
      DescribeEntry(Submitted(0, {{"chief", 1}, {"worker", 2}})),
      "00:00:00.000  JobSubmitted  howdah-20261121-000000-abcd  mnist  chief x 1, worker x 2  by ann on gateway3");
  EXPECT_EQ(DescribeEntry({At(0), core::RoleScaled{"worker", 2, 4, "ann on gateway3"}}),
            "00:00:00.000  RoleScaled  worker  from 2 to 4  by ann on gateway3");
  for (unsigned seed = 0; seed < 500; ++seed) {
    EXPECT_EQ(DescribeEntry(RandomChanges(seed).Next()).find('\n'), std::string::npos);
  }
}

}  // namespace
}  // namespace howdah::journal
