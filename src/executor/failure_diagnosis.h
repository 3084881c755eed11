// Collects what can be seen of a failed process at the moment of its end, and has it diagnosed.
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

  // An attempt begins: only later OOM kills and kernel messages can explain its failures. environment: that of its
  // processes.
  void Begin(const Variables& environment);

  struct FailedProcess {
    ExitStatus exit;
    int pid = 0;  // 0: it was never created
    ProcessSlot slot;
    int64_t memory_peak_bytes = 0;
    std::map<int, std::string> pci_addresses = {};  // of the task's GPUs, by index, as far as they are known
    std::string shell_message = {};  // what a shell would have printed for a process that was never created; empty:
                                     // the process's own stderr is read
  };
  // Why it failed, and the first of the role's restart rules that matches.
  core::Diagnosis Diagnose(const FailedProcess& process);

 private:
  diagnosis::Evidence Collect(const FailedProcess& process);

  const TaskPlan& plan_;
  std::string path_;  // PATH of the processes
  os::process::OomCounts oom_before_;
  os::process::KernelLog kernel_log_;
};

}  // namespace howdah::executor
