#include "answer_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "howdah/os/files/files.h"

namespace howdah::feed::server {

Result<std::string> ReadAnswerFile(const os::files::Fd& file, int64_t bytes) {
  if (bytes < 0 || bytes > kMostAnswerBytes) {
    return Failed("an answer has at most " + std::to_string(kMostAnswerBytes) + " bytes");
  }
  struct stat info = {};
  // Only files in memory can have seals.
  if (::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode) || ::fcntl(file.get(), F_GET_SEALS) < 0) {
    return Failed("the descriptor of an answer is not that of a memory file; create it with memfd_create");
  }
  const Error too_short = Failed("the file of the answer has fewer than " + std::to_string(bytes) + " bytes");
  if (info.st_size < bytes) return too_short;
  std::string content(static_cast<size_t>(bytes), '\0');
  for (size_t at = 0; at < content.size();) {
    const ssize_t size = ::pread(file.get(), content.data() + at, content.size() - at, static_cast<off_t>(at));
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return os::files::SystemError("reading the file of an answer");
    if (size == 0) return too_short;
    at += static_cast<size_t>(size);
  }
  return content;
}

}  // namespace howdah::feed::server
