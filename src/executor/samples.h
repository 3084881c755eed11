// What was measured again and again, as its average and its highest.
#pragma once

#include <vector>

#include "howdah/os/process/usage.h"

namespace howdah::executor {

class Samples {
 public:
  // value: 0 or more.
  void Add(double value);

  bool empty() const { return count_ == 0; }
  // Every sample counts alike; 0: there is none.
  double average() const { return empty() ? 0 : sum_ / count_; }
  double peak() const { return peak_; }

 private:
  double count_ = 0;
  double sum_ = 0;
  double peak_ = 0;
};

// What a task's GPUs did. Every GPU of every answer is a sample of its own.
struct GpuSamples {
  Samples utilisation;  // 0..1
  Samples memory;       // used, of what the GPU has: 0..1

  void Add(const std::vector<os::process::GpuUsage>& answer);
};

}  // namespace howdah::executor
