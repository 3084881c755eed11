#include "howdah/os/process/kernel_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

namespace howdah::os::process {
namespace {

constexpr char kKernelsOwn[] = "/dev/kmsg";
constexpr size_t kLongestRecord = 8192;  // the kernel's limit for one record
constexpr size_t kKept = 64 << 10;

}  // namespace

void KernelLog::Begin(const std::string& file) {
  text_.clear();
  records_ = file.empty();
  log_ = files::Fd(::open(records_ ? kKernelsOwn : file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (log_.valid() && ::lseek(log_.get(), 0, SEEK_END) < 0) log_ = files::Fd();
}

const std::string& KernelLog::Read() {
  char buffer[kLongestRecord];
  while (log_.valid()) {
    const ssize_t size = ::read(log_.get(), buffer, sizeof buffer);
    if (size < 0 && (errno == EINTR || errno == EPIPE)) continue;  // EPIPE: the kernel has overwritten the next message
    if (size <= 0) break;
    Add({buffer, static_cast<size_t>(size)});
  }
  return text_;
}

void KernelLog::Add(std::string_view text) {
  if (records_) text = text.substr(text.find(';') + 1);
  text_ += text;
  if (text_.size() > 2 * kKept) text_.erase(0, text_.size() - kKept);
}

}  // namespace howdah::os::process
