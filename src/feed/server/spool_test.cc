// Which blocks are written to the spool file: only those that do not fit into the buffer, and are still needed.
#include <gtest/gtest.h>

#include "test_feeds.h"
#include "test_reader.h"

namespace howdah::feed::server {
namespace {

constexpr int64_t kSpoolBuffer = int64_t{64} << 10;
constexpr int64_t kRows = 8;  // of each block
constexpr size_t kBlock = size_t{16} << 10;
constexpr int64_t kBlocks = 20;  // five times as much as the buffer

Options SmallBuffer(int64_t passes) {
  Options options;
  options.passes = passes;
  options.buffer = kSpoolBuffer;
  return options;
}

class SpoolTest : public FeedsTest {
 protected:
  explicit SpoolTest(int64_t passes = 1) : FeedsTest(SmallBuffer(passes)) {}

  // A source sends the block with this number, and the program reads it and keeps no view of it.
  void PutAndRead(Process& process, int64_t block) {
    const int64_t row = block * kRows;
    const auto answer = Put(0, 0, {row, row + kRows}, kBlock);
    ASSERT_TRUE(answer && *answer != PutAnswer::kRefused) << block;
    Read(process, 0, row);
  }
  void Read(Process& process, int64_t pass, int64_t row) {
    Send(process, Next(pass, kRows, row));
    ASSERT_TRUE(process.last().contains("slices")) << process.last();
    Send(process, TestJson{{"release", {process.last()["slices"][0][0]}}}.dump());
    Send(process, TestJson{{"returned", {{"pass", pass}, {"rows", row + kRows}}}}.dump());
    ASSERT_TRUE(RunUntil(loop, [&] {
      am.Handle(feeds);
      const auto reports = am.Received<RowsHandedOut>();
      return !reports.empty() && reports.back().pass == pass && reports.back().rows == row + kRows;
    })) << "the AM grants no room for further rows";
  }
};

TEST_F(SpoolTest, CommittedBlocksAreNeverWritten) {
  StartAttempt(1);
  Process process = Open(1);
  for (int64_t block = 0; block < kBlocks; ++block) {
    PutAndRead(process, block);
    Send(process, TestJson{{"commit", {{"pass", 0}, {"rows", (block + 1) * kRows}}}}.dump());
    ASSERT_TRUE(RunUntil(loop, [&] {
      am.Handle(feeds);
      return store().blocks() == 0;
    })) << block;
    EXPECT_EQ(store().disk_bytes(), 0) << block;
  }
}

TEST_F(SpoolTest, BlocksWithoutACommitAreWrittenWhenTheBufferIsFullAndReadAgainAfterARestart) {
  StartAttempt(1);
  Process process = Open(1);
  for (int64_t block = 0; block < kBlocks; ++block) {
    PutAndRead(process, block);
    const auto bytes = static_cast<int64_t>(kBlock) * (block + 1);
    if (bytes < kSpoolBuffer) {
      EXPECT_EQ(store().disk_bytes(), 0) << block;
    }
    EXPECT_LE(store().unleased_bytes(), kSpoolBuffer + static_cast<int64_t>(kBlock)) << block;
  }
  EXPECT_GE(store().disk_bytes(), static_cast<int64_t>(kBlock) * kBlocks - 2 * kSpoolBuffer);
  EXPECT_EQ(store().blocks(), static_cast<size_t>(kBlocks));
  EndSource(1, kBlocks * kRows);
  const size_t requested = am.requested.size();
  feeds.OnClosed(1);
  feeds.OnAttemptEnded();
  StartAttempt(2);
  Process again = Open(2, 0, 2);
  for (int64_t block = 0; block < kBlocks; ++block) Read(again, 0, block * kRows);
  EXPECT_EQ(am.requested.size(), requested) << "the source is not asked for these rows again";
}

class SpoolOfTwoPassesTest : public SpoolTest {
 protected:
  SpoolOfTwoPassesTest() : SpoolTest(2) {}
};

TEST_F(SpoolOfTwoPassesTest, BlocksThatFitIntoTheBufferStayInMemoryForTheNextPass) {
  StartAttempt(1);
  Process process = Open(1);
  for (int64_t block = 0; block < 3; ++block) PutAndRead(process, block);
  EndSource(1, 3 * kRows);
  Send(process, Next(0, kRows, 3 * kRows));
  EXPECT_TRUE(process.last().contains("end")) << process.last();
  for (int64_t block = 0; block < 3; ++block) Read(process, 1, block * kRows);
  EXPECT_EQ(store().disk_bytes(), 0);
}

}  // namespace
}  // namespace howdah::feed::server
