#include "journal_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "howdah/journal/job_view.h"
#include "howdah/os/files/files.h"
#include "howdah/os/files/open_regular.h"

namespace howdah::am {
namespace {

constexpr size_t kTextLimit = size_t{4} << 30;
constexpr size_t kChunk = size_t{64} << 10;

// Passes each complete line on, without its newline. Returns the size of all complete lines.
Result<int64_t> ReadLines(int fd, const std::string& path, const std::function<void(std::string_view)>& on_line) {
  std::string buffer;  // always begins at the start of a line
  int64_t complete = 0;
  for (;;) {
    const size_t before = buffer.size();
    buffer.resize(before + kChunk);
    const ssize_t count = pread(fd, buffer.data() + before, kChunk, complete + static_cast<int64_t>(before));
    const int error = errno;
    buffer.resize(before + static_cast<size_t>(std::max<ssize_t>(count, 0)));
    if (count < 0 && error == EINTR) continue;
    if (count < 0) return os::files::SystemError("reading " + path, error);
    if (count == 0) return complete;
    size_t begin = 0;
    for (size_t end = buffer.find('\n', before); end != std::string::npos; end = buffer.find('\n', begin)) {
      on_line(std::string_view(buffer).substr(begin, end - begin));
      begin = end + 1;
    }
    buffer.erase(0, begin);
    complete += static_cast<int64_t>(begin);
  }
}

}  // namespace

Result<JournalFile> JournalFile::Open(const std::string& path, const OnEntry& on_entry) {
  os::files::Fd file(open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (!file.valid()) return os::files::SystemError("opening " + path);
  HOWDAH_TRY(const auto size, ReadLines(file.get(), path, [&](std::string_view line) {
               if (const auto entry = journal::DecodeEntry(line)) on_entry(*entry);
             }));
  if (ftruncate(file.get(), size) != 0) return os::files::SystemError("removing the torn last line of " + path);
  return JournalFile(path, std::move(file), size);
}

void JournalFile::Add(const core::JournalEntry& entry) { queued_ += journal::EncodeEntry(entry) + "\n"; }

Status JournalFile::Flush() {
  const size_t before = queued_.size();
  const Status written = os::files::WriteAndErase(file_.get(), queued_, path_);
  written_ += static_cast<int64_t>(before - queued_.size());
  return written;
}

Result<std::string> JournalFile::Text() const {
  HOWDAH_TRY(auto text, os::files::ReadFile(path_, kTextLimit));
  return std::move(text) + queued_;
}

}  // namespace howdah::am
