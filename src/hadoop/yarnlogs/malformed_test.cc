// Reading a truncated or mutated file may return errors or wrong bytes, but must not crash, hang or read beyond the
// file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "testing.h"

namespace howdah::hadoop::yarnlogs {
namespace {

using ::testing::HasSubstr;
using testing::Recorded;
using testing::SourceOf;
using testing::Traffic;

constexpr int kMutations = 1500;  // number per file
constexpr int64_t kReadMax = int64_t{64} << 20;

// Opens the file, and lists and reads as much as possible. Returns false if anything failed.
bool ReadEverything(const std::string& bytes) {
  Traffic traffic;
  auto log = OpenAggregatedLog(SourceOf(bytes, &traffic));
  if (!log.ok()) return false;
  const auto entries = (*log)->List("");
  bool good = entries.ok() && (*log)->List("container_1_0001_01_000001").ok();
  for (size_t i = 0; entries.ok() && i < entries->size(); ++i) {
    auto stream = (*log)->Read((*entries)[i], i % 2 == 0 ? 0 : 100);
    good = good && stream.ok();
    int64_t size = 0;
    for (bool more = stream.ok(); more && size < kReadMax;) {
      const Result<std::string> next = (*stream)->Next();
      good = good && next.ok();
      more = next.ok() && !next->empty();
      if (more) size += static_cast<int64_t>(next->size());
    }
    EXPECT_LE(size, (*entries)[i].length);
  }
  EXPECT_LE(traffic.largest, bytes.size());
  return good;
}

// Small recorded files in both formats, with and without compression.
std::vector<std::string> Files() {
  return {
      "3.3.6-tfile-none-rolled-2",
      "3.5.0-tfile-gz-rolled-2",
      "3.4.3-ifile-gz-rolled",
      "3.5.0-ifile-gz-rolled",
  };
}

TEST(Malformed, TruncatedFileIsSafe) {
  for (const std::string& name : Files()) {
    const std::string bytes = Recorded(name);
    ASSERT_TRUE(ReadEverything(bytes)) << name;
    for (size_t size = 0; size < bytes.size(); size += 1 + bytes.size() / 700) {
      EXPECT_FALSE(OpenAggregatedLog(SourceOf(std::string_view(bytes).substr(0, size))).ok()) << name << " " << size;
    }
  }
}

TEST(Malformed, MutatedFileIsSafe) {
  std::mt19937 random(1);
  const auto below = [&random](size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random); };
  for (const std::string& name : Files()) {
    const std::string good = Recorded(name);
    ASSERT_FALSE(good.empty()) << name;
    int failed = 0;
    for (int i = 0; i < kMutations; ++i) {
      std::string bytes = good;
      for (size_t changes = 1 + below(4); changes > 0; --changes) {
        // Let half of the mutations hit the end of the file: the index is there, with lengths and offsets.
        const size_t at =
            below(2) == 0 ? below(bytes.size()) : bytes.size() - 1 - below(std::min<size_t>(bytes.size(), 600));
        const uint8_t values[] = {0, 0x7F, 0x80, 0xFF, static_cast<uint8_t>(below(256))};
        bytes[at] = static_cast<char>(values[below(5)]);
      }
      if (below(8) == 0) bytes.erase(below(bytes.size()), 1 + below(16));
      if (below(8) == 0) bytes.insert(below(bytes.size()), std::string(1 + below(16), static_cast<char>(below(256))));
      failed += ReadEverything(bytes) ? 0 : 1;
    }
    EXPECT_GT(failed, kMutations / 10) << name;
  }
}

TEST(Malformed, ErrorOfSourceIsReturned) {
  for (const std::string& name : Files()) {
    const std::string bytes = Recorded(name);
    for (int reads = 0;; ++reads) {
      int left = reads;
      Source source = SourceOf(bytes);
      source.read = [&left, read = source.read](int64_t offset, size_t size) -> Result<std::string> {
        if (left-- == 0) return Failed("the DataNode is gone");
        return read(offset, size);
      };
      auto log = OpenAggregatedLog(source);
      Status status = log.ok() ? Status() : Status(log.error());
      if (log.ok()) {
        const auto entries = (*log)->List("");
        if (!entries.ok()) status = entries.error();
        if (entries.ok()) {
          const Result<std::string> all = testing::ReadAll(**log, entries->back());
          if (!all.ok()) status = all.error();
        }
      }
      if (status.ok()) {
        EXPECT_GE(reads, 4);
        break;
      }
      ASSERT_THAT(status.error().message, HasSubstr("the DataNode is gone")) << name << " after " << reads;
    }
  }
}

TEST(Malformed, LzoCompressionIsRefused) {
  std::string bytes = Recorded("3.3.6-tfile-none-rolled-0");
  const size_t at = bytes.rfind("\x04none");
  ASSERT_NE(at, std::string::npos);
  bytes.replace(at, 5, std::string("\x03lzo\0", 5));
  const auto log = OpenAggregatedLog(SourceOf(bytes));
  ASSERT_FALSE(log.ok());
  EXPECT_THAT(log.error().message, HasSubstr("compressed with 'lzo', which is not supported"));
}

}  // namespace
}  // namespace howdah::hadoop::yarnlogs
