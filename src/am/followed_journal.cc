#include "followed_journal.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

namespace howdah::am {
namespace {

constexpr int64_t kJournalPiece = 64 << 10, kLineLimit = 64 << 20;

}  // namespace

bool FollowedJournal::SetSize(int64_t size) { return std::exchange(size_, size) != size; }

std::string FollowedJournal::Read(int64_t from, int64_t to) {
  if (!file_.valid()) file_ = os::files::Fd(open(path_.c_str(), O_RDONLY | O_CLOEXEC));
  for (int64_t piece = kJournalPiece; piece <= kLineLimit; piece *= 2) {
    std::string text(static_cast<size_t>(std::min(piece, to - from)), '\0');
    const ssize_t size = pread(file_.get(), text.data(), text.size(), from);
    text.resize(static_cast<size_t>(std::max<ssize_t>(size, 0)));
    text.resize(text.rfind('\n') + 1);  // without a newline the text becomes empty
    if (!text.empty() || piece >= to - from) return text;
  }
  return "";
}

}  // namespace howdah::am
