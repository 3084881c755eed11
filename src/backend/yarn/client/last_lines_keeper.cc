#include "last_lines_keeper.h"

#include "howdah/os/files/last_lines.h"

namespace howdah::backend::yarn::client {
namespace {

constexpr size_t kSlack = size_t{1} << 20;

}  // namespace

void LastLinesKeeper::Add(std::string_view bytes) {
  if (!lines_) return on_bytes_(bytes);
  kept_ += bytes;
  if (kept_.size() < trimmed_ + kSlack) return;
  // Whether the last line goes on is not known: one more than is wanted is kept.
  kept_ = std::string(os::files::LastLines(kept_, *lines_ + 1));
  trimmed_ = kept_.size();
}

void LastLinesKeeper::Finish() {
  if (!lines_) return;
  on_bytes_(os::files::LastLines(kept_, *lines_));
  kept_.clear();
}

}  // namespace howdah::backend::yarn::client
