#include "job_copies.h"

#include <gtest/gtest.h>

#include "howdah/os/files/files.h"
#include "howdah/os/process/testing.h"

namespace howdah::backend::yarn::am {
namespace {

TEST(StatesOf, EachChangeOfAFileIsFound) {
  const os::files::Scratch scratch;
  const JobFiles files{scratch / "journal.jsonl", scratch / "events.bin", {scratch / "feed-rows.bin"}};
  std::vector<FileState> before = StatesOf(files);
  const struct {
    const std::string& path;
    const char* content;
  } changes[] = {{files.journal, "queued\n"},
                 {files.journal, "queued\nruns\n"},
                 {files.event_log, "registered"},
                 {files.feed_logs.front(), "a block"},
                 {files.feed_logs.front(), "block"}};
  for (const auto& change : changes) {
    ASSERT_TRUE(os::files::WriteFileAtomically(change.path, change.content, 0600).ok());
    const std::vector<FileState> after = StatesOf(files);
    EXPECT_NE(before, after) << change.content;
    EXPECT_EQ(StatesOf(files), after);
    before = after;
  }
}

}  // namespace
}  // namespace howdah::backend::yarn::am
