// Shows the progress of the upload of a job's files.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "howdah/cli/output/screen.h"

namespace howdah::cli::output {

// Formats "staging  [######------------]  512 MiB of 1.2 GiB".
std::string StagingLine(int64_t done, int64_t total);

// A progress bar on a terminal. It appears only if the upload takes longer than 200 ms. On a pipe nothing is shown.
class StagingBar {
 public:
  StagingBar();
  void Show(int64_t done, int64_t total);
  void Clear() { screen_.Clear(); }

 private:
  std::chrono::steady_clock::time_point shown_;
  Screen screen_;
};

}  // namespace howdah::cli::output
