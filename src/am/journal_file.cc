#include "journal_file.h"

#include "howdah/history/job_view.h"
#include "howdah/process/files.h"

namespace howdah::am {

Result<JournalFile> JournalFile::Open(const std::string& path) {
  auto file = process::OpenForAppend(path, 0600);
  if (!file.ok()) return file.error();
  return JournalFile(std::move(*file));
}

void JournalFile::Add(const core::JournalEntry& entry) { queued_ += history::EncodeEntry(entry) + "\n"; }

Status JournalFile::Flush() {
  if (queued_.empty()) return {};
  const Status written = process::WriteAll(file_.get(), queued_, "the journal");
  if (written.ok()) queued_.clear();
  return written;
}

Result<std::vector<core::JournalEntry>> ReadJournal(const std::string& path) {
  const auto text = process::ReadFile(path);
  if (!text.ok()) return text.error();
  std::vector<core::JournalEntry> entries;
  std::string_view left = *text;
  while (!left.empty()) {
    const size_t end = left.find('\n');
    if (end == std::string_view::npos) break;
    if (auto entry = history::DecodeEntry(left.substr(0, end))) entries.push_back(std::move(*entry));
    left.remove_prefix(end + 1);
  }
  return entries;
}

}  // namespace howdah::am
