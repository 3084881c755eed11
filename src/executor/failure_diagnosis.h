// Collects evidence about a failed process at the moment of its end, and diagnoses the failure.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "howdah/base/exit_status.h"
#include "howdah/diagnosis/diagnosis.h"
#include "howdah/os/process/kernel_log.h"
#include "howdah/os/process/usage.h"
#include "launch.h"

namespace howdah::executor {

class FailureDiagnosis {
 public:
  explicit FailureDiagnosis(const TaskPlan& plan) : plan_(plan) {}

  // Call it when an attempt begins. OOM kills and kernel messages from before this call cannot explain failures of the
  // attempt. environment: the environment of the attempt's processes.
  void Begin(const Variables& environment);

  struct FailedProcess {
    ExitStatus exit;
    int pid = 0;  // 0 if the process was never created
    ProcessSlot slot;
    int64_t memory_peak_bytes = 0;
    std::map<int, std::string> pci_addresses = {};  // of the task's GPUs, by GPU index; an unknown address is missing
    // The message that a shell would have printed for a process that was never created. If empty, the process's stderr
    // is read instead.
    std::string shell_message = {};
  };
  // Returns why the process failed, and the first of the role's restart rules that matches.
  core::Diagnosis Diagnose(const FailedProcess& process);

 private:
  diagnosis::Evidence Collect(const FailedProcess& process);

  const TaskPlan& plan_;
  std::string path_;       // the PATH of the attempt's processes
  std::string temporary_;  // the directory in which these processes create temporary files
  int ranks_ = 0;          // the WORLD_SIZE of these processes; 0 if it is not set
  os::process::OomCounts oom_before_;
  os::process::KernelLog kernel_log_;
};

}  // namespace howdah::executor
