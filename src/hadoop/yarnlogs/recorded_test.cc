// Files written by NodeManagers of three Hadoop versions (see testdata/README.md). The expected content is the
// containers' output (testdata/emit.sh).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "howdah/hadoop/yarnlogs/locations.h"
#include "testing.h"

namespace howdah::hadoop::yarnlogs {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::ReadAll;
using testing::Recorded;
using testing::SourceOf;
using testing::Traffic;

// Returns the output of `seq 1 last`.
std::string Count(int last) {
  std::string text;
  for (int i = 1; i <= last; ++i) text += std::to_string(i) + "\n";
  return text;
}

// Returns the content that emit.sh writes to the file `name`.
std::string Written(const std::string& name, const std::string& container) {
  if (name == "stdout") return "container " + container + "\n" + Count(1000);
  std::string text;
  if (name == "stderr") {
    for (int i = 0; i < 256; ++i) text += static_cast<char>(i);
  }
  while (name == "large" && text.size() < 3'000'000) text += "0123456789abcdef\n";
  if (name == "large") text.resize(3'000'000);
  return text;
}

struct Recording {
  std::string file;
  std::string application;  // the id without "application_"
};

// Recordings of an application with two attempts. Each attempt has one container, which fails.
std::vector<Recording> Plain() {
  return {
      {"3.3.6-tfile-none-plain", "1795286658261_0001"}, {"3.3.6-tfile-gz-plain", "1795286658261_0002"},
      {"3.3.6-ifile-none-plain", "1795286658261_0003"}, {"3.3.6-ifile-gz-plain", "1795286658261_0004"},
      {"3.4.3-tfile-none-plain", "1795286420416_0001"}, {"3.4.3-tfile-gz-plain", "1795286420416_0002"},
      {"3.4.3-ifile-none-plain", "1795286420416_0003"}, {"3.4.3-ifile-gz-plain", "1795286420416_0004"},
      {"3.5.0-tfile-none-plain", "1795286269511_0001"}, {"3.5.0-tfile-gz-plain", "1795286269511_0002"},
      {"3.5.0-ifile-none-plain", "1795286269511_0003"}, {"3.5.0-ifile-gz-plain", "1795286269511_0004"},
  };
}

TEST(Recorded, LogsEqualOutputOfProcesses) {
  for (const Recording& recording : Plain()) {
    SCOPED_TRACE(recording.file);
    const std::string bytes = Recorded(recording.file);
    ASSERT_FALSE(bytes.empty());
    Traffic traffic;
    auto log = OpenAggregatedLog(SourceOf(bytes, &traffic));
    ASSERT_TRUE(log.ok()) << log.error().message;
    std::vector<std::string> names = {"empty", "large", "stderr", "stdout"};
    const auto all = (*log)->List("");
    ASSERT_TRUE(all.ok()) << all.error().message;
    ASSERT_EQ(all->size(), 2 * names.size());
    for (const char* attempt : {"_01_000001", "_02_000001"}) {
      const std::string container = "container_" + recording.application + attempt;
      const auto entries = (*log)->List(container);
      ASSERT_TRUE(entries.ok()) << entries.error().message;
      std::vector<std::string> found;
      for (const LogEntry& entry : *entries) {
        EXPECT_EQ(entry.container, container);
        EXPECT_NE(std::find(all->begin(), all->end(), entry), all->end());
        const std::string want = Written(entry.name, container);
        EXPECT_EQ(entry.length, static_cast<int64_t>(want.size())) << entry.name;
        const Result<std::string> read = ReadAll(**log, entry);
        ASSERT_TRUE(read.ok()) << entry.name << ": " << read.error().message;
        EXPECT_TRUE(*read == want) << entry.name << ": " << read->size() << " bytes";
        found.push_back(entry.name);
      }
      EXPECT_EQ(found, names);
    }
    EXPECT_LE(traffic.largest, size_t{256} << 10);
  }
}

TEST(Recorded, LogIsReadFromAnyOffset) {
  for (const Recording& recording : Plain()) {
    SCOPED_TRACE(recording.file);
    const std::string bytes = Recorded(recording.file);
    auto log = OpenAggregatedLog(SourceOf(bytes));
    ASSERT_TRUE(log.ok()) << log.error().message;
    const auto entries = (*log)->List("container_" + recording.application + "_02_000001");
    ASSERT_TRUE(entries.ok()) << entries.error().message;
    for (const LogEntry& entry : *entries) {
      const std::string want = Written(entry.name, entry.container);
      for (const int64_t from : {int64_t{-1}, int64_t{1}, int64_t{1'048'575}, int64_t{1'048'576}, int64_t{1'048'577},
                                 entry.length - 1, entry.length, entry.length + 1, INT64_MAX}) {
        const auto start = static_cast<size_t>(std::clamp<int64_t>(from, 0, entry.length));
        const Result<std::string> read = ReadAll(**log, entry, from);
        ASSERT_TRUE(read.ok()) << entry.name << " from " << from << ": " << read.error().message;
        EXPECT_TRUE(*read == want.substr(start)) << entry.name << " from " << from;
      }
    }
  }
}

TEST(Recorded, UnknownContainerHasNoLogs) {
  for (const Recording& recording : Plain()) {
    const std::string bytes = Recorded(recording.file);
    auto log = OpenAggregatedLog(SourceOf(bytes));
    ASSERT_TRUE(log.ok()) << log.error().message;
    const auto entries = (*log)->List("container_1_0001_01_000001");
    ASSERT_TRUE(entries.ok()) << entries.error().message;
    EXPECT_THAT(*entries, IsEmpty());
  }
}

// Bytes that are not needed are read only if they are compressed together with needed ones.
TEST(Recorded, OnlyNeededBytesAreRead) {
  for (const char* file : {"3.3.6-tfile-none-plain", "3.5.0-ifile-none-plain"}) {
    const std::string bytes = Recorded(file);
    Traffic traffic;
    auto log = OpenAggregatedLog(SourceOf(bytes, &traffic));
    ASSERT_TRUE(log.ok()) << log.error().message;
    const auto entries = (*log)->List("");
    ASSERT_TRUE(entries.ok());
    EXPECT_LT(traffic.bytes, int64_t{128} << 10) << file << " has " << bytes.size() << " bytes";
    for (const LogEntry& entry : *entries) {
      if (entry.name != "stdout") continue;
      ASSERT_TRUE(ReadAll(**log, entry).ok());
    }
    EXPECT_LT(traffic.bytes, int64_t{192} << 10) << file;
    const int64_t before = traffic.bytes;
    EXPECT_EQ(*(*log)->List(""), *entries);
    EXPECT_EQ(traffic.bytes, before) << file << " was read again for the same list";
  }
}

// Returns the contents that emit.sh writes to the file "part" one after the other.
std::vector<std::string> Parts(const std::string& container) {
  std::vector<std::string> parts;
  for (int i = 1; i <= 3; ++i) {
    parts.push_back("part " + std::to_string(i) + " of " + container + "\n" + Count(100 * i));
  }
  return parts;
}

// Returns the contents of all log files called `name` in the files of a node. Omits repeated contents.
std::vector<std::string> Contents(const std::vector<std::string>& files, const std::string& container,
                                  const std::string& name) {
  std::vector<std::string> contents;
  for (const std::string& bytes : files) {
    auto log = OpenAggregatedLog(SourceOf(bytes));
    if (!log.ok()) return {log.error().message};
    const auto entries = (*log)->List(container);
    if (!entries.ok()) return {entries.error().message};
    for (const LogEntry& entry : *entries) {
      const Result<std::string> read = ReadAll(**log, entry);
      if (!read.ok()) return {read.error().message};
      const bool is_new = contents.empty() || contents.back() != *read;
      if (entry.name == name && is_new) contents.push_back(*read);
    }
  }
  return contents;
}

// Each upload appends an index to an IndexedFile, and files that still exist are uploaded again.
TEST(Recorded, IndexedFileWithSeveralUploadsIsRead) {
  const Recording recordings[] = {{"3.3.6-ifile-gz-rolled", "1795286658261_0005"},
                                  {"3.4.3-ifile-gz-rolled", "1795286420416_0005"},
                                  {"3.5.0-ifile-gz-rolled", "1795286269511_0005"}};
  for (const Recording& recording : recordings) {
    const std::vector<std::string> files = {Recorded(recording.file)};
    const std::string container = "container_" + recording.application + "_01_000001";
    EXPECT_EQ(Contents(files, container, "part"), Parts(container)) << recording.file;
    EXPECT_THAT(Contents(files, container, "stdout"), ElementsAre("last words\n")) << recording.file;
  }
}

// A TFile cannot be appended to: each upload is a separate file.
TEST(Recorded, TFilesOfSeveralUploadsAreRead) {
  const Recording recordings[] = {{"3.3.6-tfile-none-rolled-", "1795286658261_0006"},
                                  {"3.4.3-tfile-none-rolled-", "1795286420416_0006"},
                                  {"3.5.0-tfile-none-rolled-", "1795286269511_0006"}};
  for (const Recording& recording : recordings) {
    std::vector<std::string> files;
    for (const char* number : {"0", "1", "2", "3"}) files.push_back(Recorded(recording.file + number));
    const std::string container = "container_" + recording.application + "_01_000001";
    EXPECT_EQ(Contents(files, container, "part"), Parts(container)) << recording.file;
    EXPECT_THAT(Contents(files, container, "stdout"), ElementsAre("last words\n")) << recording.file;
  }
}

// Recorded during the last upload: the file is complete up to the offset in the checksum file.
TEST(Recorded, UnfinishedUploadIsReadUpToChecksum) {
  const std::string bytes = Recorded("3.3.6-ifile-gz-rolled-unfinished");
  const Result<Checksum> checksum = ParseChecksum(Recorded("3.3.6-ifile-gz-rolled-checksum"));
  ASSERT_TRUE(checksum.ok()) << checksum.error().message;
  ASSERT_LE(checksum->end, static_cast<int64_t>(bytes.size()));
  const std::string container = "container_1795285645199_0006_01_000001";
  const std::string whole = bytes.substr(0, static_cast<size_t>(checksum->end));
  EXPECT_EQ(Contents({whole}, container, "part"), Parts(container));
  EXPECT_THAT(Contents({whole}, container, "stdout"), IsEmpty());
  EXPECT_THAT(Contents({whole + "what has come since"}, container, "part"),
              ElementsAre(HasSubstr("the upload was interrupted")));
}

}  // namespace
}  // namespace howdah::hadoop::yarnlogs
