// Samples the stacks of the processes of a running task.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/base/time.h"
#include "howdah/rpc/identity.h"

namespace howdah::rpc::streams {

struct StackRequest {
  std::string role;
  int index = 0;
  bool native = false;  // read native frames, too; this needs memory of the task's container
  int signal = 0;       // a signal for which Python programs have registered faulthandler; 0: none
};

struct ProcessStacks {
  int pid = 0;
  std::optional<int> local_rank;  // absent for a process that belongs to no rank, such as one of `howdah exec`
  std::string state;              // "python3 sleeps in futex_wait_queue (system call futex), 5 threads"
  std::string tool;               // the origin of `stacks`: "py-spy"; empty without stacks
  std::string stacks;             // the text of the tool; any bytes
  std::string problem;            // the reason for missing stacks or Python frames, with advice; may be empty
};

struct TaskStacks {
  int attempt = 0;
  std::vector<ProcessStacks> processes;  // parents before children
  int omitted = 0;                       // number of further processes, which were not sampled
};

// Blocks until the sample is complete, at most for `limit`. Thread-safe. Returns kFailed with the reason if the task is
// not running, kUnavailable if the connection could not be made or broke, and kTimeout.
Result<TaskStacks> SampleStacks(const rpc::AmContact& am, const StackRequest& request, Duration limit);

}  // namespace howdah::rpc::streams
