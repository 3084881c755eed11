#include "journal_reader.h"

#include <fcntl.h>
#include <unistd.h>

#include <vector>

#include "howdah/journal/job_end.h"
#include "howdah/os/files/fd.h"
#include "howdah/os/files/open_regular.h"

namespace howdah::backend::local {
namespace {

constexpr size_t kStep = size_t{64} << 10;
// The longest valid lines list some 10,000 roles or ranks. A longer line must be damaged and is skipped.
constexpr size_t kLongestLine = size_t{16} << 20;
// The number of bytes to read from the end of the journal. It is enough for the last line, with its reason and advice.
constexpr size_t kTail = size_t{16} << 10;

// Whether the line is the entry of a task or of a container. Such lines begin with {"time":"...","type":"Task...
bool IsTaskEntry(std::string_view line) {
  constexpr std::string_view kTask = R"("type":"Task)", kContainer = R"("type":"Container)";
  constexpr size_t kMarkLimit = 64;
  const std::string_view begin = line.substr(0, kMarkLimit);
  return begin.find(kTask) != std::string_view::npos || begin.find(kContainer) != std::string_view::npos;
}

}  // namespace

Result<bool> JournalReader::ReadLines(const std::function<void(std::string_view)>& on_line) {
  const os::files::Fd file(open(path_.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return os::files::SystemError("reading " + path_);
  const size_t kept = partial_.size();
  partial_.resize(kept + kStep);
  const ssize_t size = pread(file.get(), partial_.data() + kept, kStep, offset_);
  partial_.resize(kept + static_cast<size_t>(size < 0 ? 0 : size));
  if (size < 0) return os::files::SystemError("reading " + path_);
  offset_ += size;
  size_t begin = 0;
  for (size_t end = partial_.find('\n', kept); end != std::string::npos; end = partial_.find('\n', begin)) {
    if (!skipping_) on_line(std::string_view(partial_).substr(begin, end - begin));
    skipping_ = false;
    begin = end + 1;
  }
  partial_.erase(0, begin);
  if (partial_.size() > kLongestLine) {
    partial_.clear();
    skipping_ = true;
  }
  return static_cast<size_t>(size) == kStep;
}

Result<journal::JobView> FoldJournal(const std::string& path, Tasks tasks) {
  journal::JobView view;
  JournalReader reader(path);
  for (bool more = true; more;) {
    HOWDAH_TRY(more, reader.ReadLines([&](std::string_view line) {
      if (tasks == Tasks::kSkipped && IsTaskEntry(line)) return;
      if (const auto entry = journal::DecodeEntry(line)) view.Apply(*entry);
    }));
  }
  return view;
}

bool HasEndEntry(const std::string& path) {
  const auto tail = os::files::ReadTail(path, kTail);
  if (!tail.ok()) return false;
  const size_t end = tail->rfind('\n');
  if (end == std::string::npos || end == 0) return false;
  const size_t before = tail->rfind('\n', end - 1);
  const size_t begin = before == std::string::npos ? 0 : before + 1;
  const auto entry = journal::DecodeEntry(std::string_view(*tail).substr(begin, end - begin));
  return entry && journal::EndsJob(*entry);
}

}  // namespace howdah::backend::local
