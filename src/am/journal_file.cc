#include "journal_file.h"

#include <unistd.h>

#include "howdah/journal/job_view.h"
#include "howdah/os/files/files.h"
#include "howdah/os/files/open_regular.h"

namespace howdah::am {
namespace {

constexpr size_t kTextLimit = size_t{4} << 30;

}  // namespace

Result<JournalFile> JournalFile::Open(const std::string& path) {
  auto file = os::files::OpenForAppend(path, 0600);
  if (!file.ok()) return file.error();
  const off_t size = lseek(file->get(), 0, SEEK_END);
  if (size < 0) return os::files::SystemError("opening " + path);
  return JournalFile(path, std::move(*file), size);
}

void JournalFile::Add(const core::JournalEntry& entry) { queued_ += journal::EncodeEntry(entry) + "\n"; }

Status JournalFile::Flush() {
  if (queued_.empty()) return {};
  const Status written = os::files::WriteAll(file_.get(), queued_, "the journal");
  if (!written.ok()) return written;
  written_ += static_cast<int64_t>(queued_.size());
  queued_.clear();
  return {};
}

Result<std::string> JournalFile::Text() const {
  auto text = os::files::ReadFile(path_, kTextLimit);
  if (!text.ok()) return text.error();
  return std::move(*text) + queued_;
}

Result<std::vector<core::JournalEntry>> ReadJournal(const std::string& path) {
  const auto text = os::files::ReadFile(path);
  if (!text.ok()) return text.error();
  std::vector<core::JournalEntry> entries;
  std::string_view left = *text;
  while (!left.empty()) {
    const size_t end = left.find('\n');
    if (end == std::string_view::npos) break;
    if (auto entry = journal::DecodeEntry(left.substr(0, end))) entries.push_back(std::move(*entry));
    left.remove_prefix(end + 1);
  }
  return entries;
}

}  // namespace howdah::am
