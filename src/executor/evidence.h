// What can be seen of a process that has failed, gathered at the moment of its end.
#pragma once

#include <map>
#include <string>

#include "howdah/base/exit_status.h"
#include "howdah/diagnosis/diagnosis.h"
#include "howdah/os/process/usage.h"
#include "launch.h"

namespace howdah::executor {

struct Circumstances {
  ExitStatus exit;
  int pid = 0;
  RankPlace place;
  std::string path;  // of the process
  uint16_t reserved_port = 0;
  os::process::OomCounts oom_before;  // when the attempt began
  int64_t memory_peak_bytes = 0;
  std::string kernel_log;                    // since the attempt began
  std::map<int, std::string> pci_addresses;  // of the task's GPUs, by index, as far as they are known
  std::string last_words;                    // of ours, for a process that never was; empty: those in its stderr
};

// Why it failed, and which rule of its role fits.
core::Diagnosis Diagnose(const TaskPlan& plan, const Circumstances& seen);

}  // namespace howdah::executor
