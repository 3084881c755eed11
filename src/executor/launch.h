// Prepares the start of one process of the task: command, environment, directory, log files.
#pragma once

#include <optional>
#include <string>

#include "howdah/base/result.h"
#include "howdah/executor/inherited.h"
#include "howdah/jobspec/job_spec.h"
#include "howdah/os/files/fd.h"
#include "howdah/os/process/spawn.h"
#include "start_order.h"
#include "task_plan.h"

namespace howdah::executor {

// The variables come from these sources, and a later source overrides an earlier one: inherited, python archive, agent
// variables, GPUs, framework, the job's env, values exported by other roles, the role's env.
Variables MakeEnvironment(const TaskPlan& plan, const Peers& peers, const ProcessSlot& slot);

// Why a command cannot be started, worded as by a shell.
struct StartProblem {
  std::optional<int> code;  // 127 if not found, 126 if not executable, else nullopt
  std::string line;         // the line that a shell would write to stderr
};

struct Launch {
  os::process::SpawnRequest request;
  os::files::Fd out, err;  // the files for stdout and stderr of the request
  std::string path;        // the PATH in which the command was looked up
  std::optional<StartProblem> problem;
};

// Returns an error if the log files cannot be opened.
Result<Launch> PrepareLaunch(const TaskPlan& plan, const Peers& peers, const ProcessSlot& slot);

// Prepares a command of `howdah exec` in the environment of a process. The request has no standard streams.
Launch PrepareCommand(const TaskPlan& plan, const Peers& peers, const ProcessSlot& slot,
                      const jobspec::Command& command);

// Describes a failed Spawn, worded as by a shell.
StartProblem ToProblem(const os::process::SpawnRequest& request, const os::process::SpawnError& error);

}  // namespace howdah::executor
