#include "last_lines_keeper.h"

#include "howdah/os/files/last_lines.h"

namespace howdah::backend::yarn::client {
namespace {

constexpr size_t kSlack = size_t{1} << 20;

}  // namespace

void TailBuffer::Add(std::string_view bytes) {
  if (!lines_) return on_bytes_(bytes);
  checkpoint_ += bytes;
  if (checkpoint_.size() < trimmed_ + kSlack) return;
  // Whether the last line goes on is not known: one more than is wanted is kept.
  checkpoint_ = std::string(os::files::LastLines(checkpoint_, *lines_ + 1));
  trimmed_ = checkpoint_.size();
}

void TailBuffer::Finish() {
  if (!lines_) return;
  on_bytes_(os::files::LastLines(checkpoint_, *lines_));
  checkpoint_.clear();
}

}  // namespace howdah::backend::yarn::client
