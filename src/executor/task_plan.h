// The properties of the task that are the same for all attempts.
#pragma once

#include <cstdint>
#include <string>

#include "howdah/base/ids.h"
#include "howdah/executor/inherited.h"
#include "howdah/executor/task.h"
#include "howdah/frameworks/common/process.h"
#include "howdah/jobspec/job_spec.h"
#include "log_files.h"
#include "start_order.h"

namespace howdah::executor {

struct TaskPlan {
  TaskOptions options;
  jobspec::JobSpec spec;
  TaskId task;
  uint16_t port = 0;                                  // reserved for local rank 0
  uint16_t tensorboard_port = 0;                      // reserved for the task's own TensorBoard; 0 if none
  std::string host;                                   // the address at which other tasks reach this one
  std::string interface;                              // the network interface with this address; empty if unknown
  std::string feed_socket;                            // HOWDAH_FEED; empty if the job has no feeds
  frameworks::common::RemoteStartFiles remote_start;  // empty unless the framework starts processes in other tasks

  LogFiles logs(const ProcessSlot& slot) const {
    return LogFilesOf(options, role().processes, slot.attempt, slot.local_rank);
  }
  const jobspec::RoleSpec& role() const { return spec.roles[static_cast<size_t>(task.role)]; }
};

}  // namespace howdah::executor
