#include "howdah/cli/output/staging_bar.h"

#include <unistd.h>

#include <algorithm>

#include "howdah/base/bytes.h"
#include "howdah/cli/output/terminal.h"

namespace howdah::cli::output {
namespace {

constexpr int kWidth = 30;
// The pause before the first drawing and between drawings. A short upload shows no bar.
constexpr std::chrono::milliseconds kPause{200};
constexpr int64_t kAnnounced = int64_t{16} << 20;  // the smallest upload that is announced on a pipe

}  // namespace

std::string StagingLine(int64_t done, int64_t total) {
  // `done` exceeds `total` if a file grows while it is copied.
  const int64_t part = total <= 0 ? 0 : std::clamp<int64_t>(done / std::max<int64_t>(1, total / kWidth), 0, kWidth);
  return "staging  [" + std::string(static_cast<size_t>(part), '#') +
         std::string(static_cast<size_t>(kWidth - part), '-') + "]  " + FormatBytes(done) + " of " + FormatBytes(total);
}

StagingBar::StagingBar() : shown_(std::chrono::steady_clock::now()), screen_(IsTerminal(STDERR_FILENO)) {}

void StagingBar::Show(int64_t done, int64_t total) {
  if (!screen_.live()) {
    if (announced_ || total < kAnnounced) return;
    announced_ = total;
    return PrintMessage("staging " + FormatBytes(total));
  }
  const auto now = std::chrono::steady_clock::now();
  if (now - shown_ < kPause) return;
  shown_ = now;
  screen_.Draw({StagingLine(done, total)});
}

void StagingBar::Finish(bool complete) {
  screen_.Clear();
  if (announced_ && complete) PrintMessage("staged " + FormatBytes(*announced_));
}

}  // namespace howdah::cli::output
