// Shows the progress of the upload of a job's files.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "howdah/cli/output/screen.h"

namespace howdah::cli::output {

// Formats "staging  [######------------]  512 MiB of 1.2 GiB".
std::string StagingLine(int64_t done, int64_t total);

// A progress bar on a terminal. It appears only if the upload takes longer than 200 ms. On a pipe, an upload of at
// least 16 MiB gives one line at its begin and one at its end.
class StagingBar {
 public:
  StagingBar();
  void Show(int64_t done, int64_t total);
  // Removes the bar. `complete`: whether everything was uploaded.
  void Finish(bool complete);

 private:
  std::optional<int64_t> announced_;  // the size in the first line on a pipe
  std::chrono::steady_clock::time_point shown_;
  Screen screen_;
};

}  // namespace howdah::cli::output
