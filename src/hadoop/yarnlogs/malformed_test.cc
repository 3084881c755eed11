// Reading a truncated or mutated file may return errors or wrong bytes, but must not crash, hang or read beyond the
// file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "testing.h"
#include "tfile.h"

namespace howdah::hadoop::yarnlogs {
namespace {

using ::testing::HasSubstr;
using testing::Recorded;
using testing::SourceOf;
using testing::Traffic;

constexpr int kMutations = 1500;  // number of mutations per file
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

std::string BigEndian(uint64_t number, int bytes) {
  std::string text;
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) text += static_cast<char>(number >> shift);
  return text;
}

// Returns an IndexedFile whose index lists one upload `times` times. That upload has one list of logs `times` times.
std::string RepeatingIndex(int times) {
  const auto utf = [](const std::string& text) { return std::string(1, '\0') + static_cast<char>(text.size()) + text; };
  const auto text = [&](const std::string& value) { return "t" + utf(value); };
  const auto reference = [](char node) { return std::string("q\0\x7e\0", 4) + node; };
  const auto repeated = [](const std::string& bytes, int count) {
    std::string all;
    for (int i = 0; i < count; ++i) all += bytes;
    return all;
  };
  // Describes a class without a base class. flags: 2 (the class is serializable), or 3 if its writeObject method adds
  // items after the fields of each object.
  const auto java_class = [&](const std::string& name, char flags, const std::vector<std::string>& fields) {
    std::string bytes = "r" + utf(name) + std::string(8, '\0') + flags + '\0' + static_cast<char>(fields.size());
    for (const std::string& field : fields) bytes += "L" + utf(field) + text("S");
    return bytes + "xp";
  };
  // References count classes, strings and objects in the order of the stream: the list is 5, the upload 9, its map 10
  // and the map's list 11.
  const std::string log = "s" + java_class("M", 2, {"containerId", "fileName"}) + text("c") + text("n");
  const std::string logs = "s" + reference(5) + log + "x";
  const std::string map = "s" + reference(5) + logs + repeated(reference(11), times) + "x";
  const std::string upload = "s" + java_class("U", 2, {"logMetas"}) + map;
  const std::string uploads = "s" + java_class("L", 3, {}) + upload + repeated(reference(9), times) + "x";
  const std::string index =
      std::string("\xac\xed\0\5", 4) + "s" + java_class("R", 2, {"compressName", "logMetas"}) + text("none") + uploads;
  const std::string mark(32, 'm');
  return mark + index + BigEndian(index.size(), 4) + mark;
}

TEST(Malformed, IndexThatListsTheSameLogsManyTimesIsRejected) {
  const std::string once = RepeatingIndex(0);
  const auto log = OpenAggregatedLog(SourceOf(once));
  ASSERT_TRUE(log.ok()) << log.error().message;
  EXPECT_EQ((*log)->List("")->size(), 1u);
  const std::string often = RepeatingIndex(30'000);  // 900 million logs in 300 KB
  const auto rejected = OpenAggregatedLog(SourceOf(often));
  ASSERT_FALSE(rejected.ok());
  EXPECT_THAT(rejected.error().message, HasSubstr("it lists the same logs many times"));
}

// Encodes any number as a variable-length integer with eight bytes.
std::string VLong(size_t number) { return "\x87" + BigEndian(number, 8); }

// Returns a TFile without compression. Its index lists one block `times` times. The block has one container, with
// `logs` empty logs.
std::string TFileWith(int times, int logs, const std::string& container = "c") {
  const std::string magic(kTFileMagic), key = BigEndian(container.size(), 2) + container;
  std::string file = magic, value;
  for (int i = 0; i < logs; ++i) value += std::string("\0\1n\0\1", 5) + "0";
  const auto add = [&file](const std::string& bytes) {
    const std::string region = VLong(file.size()) + VLong(bytes.size()) + VLong(bytes.size());
    file += bytes;
    return region;
  };
  const auto text = [](const std::string& bytes) { return VLong(bytes.size()) + bytes; };
  const std::string block = add(text(key) + VLong(value.size()) + value);
  std::string blocks = text("none") + VLong(static_cast<size_t>(times)), keys = text(key);
  for (int i = 0; i < times; ++i) {
    blocks += block;
    keys += text(text(key) + VLong(1));
  }
  const std::string of_blocks = add(blocks), of_keys = add(keys);
  const size_t index = file.size();
  file += VLong(2) + text("data:BCFile.index") + text("none") + of_blocks;
  file += text("data:TFile.index") + text("none") + of_keys;
  return file + BigEndian(index, 8) + std::string("\0\1\0\0", 4) + magic;
}

TEST(Malformed, TFileThatListsOneBlockManyTimesIsRejected) {
  const std::string once = TFileWith(1, 100);
  const auto log = OpenAggregatedLog(SourceOf(once));
  ASSERT_TRUE(log.ok()) << log.error().message;
  EXPECT_EQ((*log)->List("")->size(), 100u);
  const std::string often = TFileWith(10'000, 10'000);
  const auto rejected = OpenAggregatedLog(SourceOf(often));
  ASSERT_FALSE(rejected.ok());
  EXPECT_THAT(rejected.error().message, HasSubstr("its blocks overlap"));
}

TEST(Malformed, MemoryOfTheListIsBounded) {
  const std::string file = TFileWith(1, 10'000, std::string(10'000, 'c'));  // each log has the name of its container
  const auto log = OpenAggregatedLog(SourceOf(file));
  ASSERT_TRUE(log.ok()) << log.error().message;
  const auto entries = (*log)->List("");
  ASSERT_FALSE(entries.ok());
  EXPECT_EQ(entries.error().message, "the TFile lists too many logs");
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
