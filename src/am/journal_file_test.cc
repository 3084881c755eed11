#include "journal_file.h"

#include <gtest/gtest.h>

#include "howdah/journal/job_view.h"
#include "howdah/os/files/files.h"
#include "howdah/os/files/testing.h"

namespace howdah::am {
namespace {

core::JournalEntry Entry(const std::string& reason) {
  core::JobChanged change;
  change.reason = reason;
  return {Instant(std::chrono::hours(1)), change};
}

std::vector<std::string> ReasonsIn(const std::string& path) {
  std::vector<std::string> reasons;
  const auto file = JournalFile::Open(path, [&](const core::JournalEntry& entry) {
    reasons.push_back(std::get<core::JobChanged>(entry.change).reason.value_or(""));
  });
  EXPECT_TRUE(file.ok());
  return reasons;
}

void Add(const std::string& path, const std::string& reason) {
  auto file = JournalFile::Open(path, [](const core::JournalEntry&) {});
  ASSERT_TRUE(file.ok());
  file->Add(Entry(reason));
  ASSERT_TRUE(file->Flush().ok());
  EXPECT_EQ(static_cast<size_t>(file->size()), os::files::Content(path).size());
}

TEST(JournalFile, TornLastLineIsRemovedBeforeTheNextEntry) {
  const os::files::Scratch scratch;
  const std::string path = scratch / "journal.jsonl";
  Add(path, "one");
  const std::string first = os::files::Content(path);
  Add(path, "two");
  const std::string both = os::files::Content(path);
  for (size_t size = first.size(); size < both.size(); ++size) {
    ASSERT_TRUE(os::files::WriteFileAtomically(path, both.substr(0, size), 0600).ok());
    Add(path, "three");
    EXPECT_EQ(ReasonsIn(path), (std::vector<std::string>{"one", "three"})) << size;
  }
}

TEST(JournalFile, JournalLargerThanTheReadBufferIsRead) {
  const os::files::Scratch scratch;
  const std::string path = scratch / "journal.jsonl";
  std::vector<std::string> reasons;
  for (int i = 0; i < 40; ++i) {
    reasons.push_back(std::string(90'000, 'x') + std::to_string(i));
    Add(path, reasons.back());
  }
  EXPECT_EQ(ReasonsIn(path), reasons);
}

}  // namespace
}  // namespace howdah::am
