// Averages and peaks of repeated measurements.
#pragma once

#include <vector>

#include "howdah/os/process/usage.h"

namespace howdah::executor {

class Samples {
 public:
  // value: must not be negative.
  void Add(double value);

  bool empty() const { return count_ == 0; }
  // The unweighted average; 0 without samples.
  double average() const { return empty() ? 0 : sum_ / count_; }
  double peak() const { return peak_; }

 private:
  double count_ = 0;
  double sum_ = 0;
  double peak_ = 0;
};

// The use of a task's GPUs. Each GPU in each answer of nvidia-smi is one sample.
struct GpuSamples {
  Samples utilisation;  // a share, 0..1
  Samples memory;       // used share of the GPU's memory, 0..1

  void Add(const std::vector<os::process::GpuUsage>& answer);
};

}  // namespace howdah::executor
