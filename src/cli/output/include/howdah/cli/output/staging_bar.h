// How far the copying of a job's files is, while it takes long.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "screen.h"

namespace howdah::cli {

// "staging  [######------------]  512 MiB of 1.2 GiB"
std::string StagingLine(int64_t done, int64_t total);

// On a terminal a bar, from when it has taken a while; on a pipe nothing.
class StagingBar {
 public:
  StagingBar();
  void Show(int64_t done, int64_t total);
  void Clear() { screen_.Clear(); }

 private:
  std::chrono::steady_clock::time_point shown_;
  Screen screen_;
};

}  // namespace howdah::cli
