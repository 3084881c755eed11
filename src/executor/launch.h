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

// In increasing precedence: inherited, python archive, agent variables, GPUs, framework, the job's env, values exported
// by other roles, the role's env.
Variables MakeEnvironment(const TaskPlan& plan, const Peers& peers, const ProcessSlot& slot);

// Why a command cannot be started, in the words of a shell.
struct StartProblem {
  std::optional<int> code;  // 127: not found, 126: not executable; nullopt: neither
  std::string line;         // the line that a shell would write to stderr
};

struct Launch {
  os::process::SpawnRequest request;
  os::files::Fd out, err;  // request's streams
  std::string path;        // PATH of the process, where its command was looked up
  std::optional<StartProblem> problem;
};

// An error if the log files cannot be opened.
Result<Launch> PrepareLaunch(const TaskPlan& plan, const Peers& peers, const ProcessSlot& slot);

// A command of `howdah exec` in the environment of a process; the request has no streams.
Launch PrepareCommand(const TaskPlan& plan, const Peers& peers, const ProcessSlot& slot,
                      const jobspec::Command& command);

// A failed Spawn, in the words of a shell.
StartProblem ToProblem(const os::process::SpawnRequest& request, const os::process::SpawnError& error);

}  // namespace howdah::executor
