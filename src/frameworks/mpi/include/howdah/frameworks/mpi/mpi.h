// Open MPI (4.1): the task with rank 0 runs the role's command, which calls an unmodified mpirun. The other tasks only
// hold their containers for mpirun's daemons. mpirun starts a daemon with `howdah-agent rsh` instead of ssh, so the
// names in the hostfile are task names ("worker-1") and are never resolved.
#pragma once

#include <optional>
#include <string>

#include "howdah/base/ids.h"
#include "howdah/core/job.h"
#include "howdah/frameworks/common/process.h"
#include "howdah/jobspec/job_spec.h"

namespace howdah::frameworks::mpi {

// The file descriptor under which programs of the job's ranked tasks have the working directory of their task open.
// Avoids 9 and 200, which scripts often use for flock, and 255 and the numbers from 10 on, which shells use.
constexpr int kDirectoryFd = 230;

// For a task that only holds its container for mpirun's daemons, returns the command that it runs instead of the role's
// command. Returns nullopt if the task runs the role's command.
std::optional<jobspec::Command> PlaceholderCommand(const jobspec::JobSpec& spec, TaskId task);

// Whether the task's processes start commands in other tasks of the job.
bool StartsRemoteProcesses(const jobspec::JobSpec& spec, TaskId task);

// Returns one line per task of the worker roles with the task's name and vcores, such as "worker-1 slots=4".
std::string Hostfile(const jobspec::JobSpec& spec, const core::PeerGroup& cluster);

void AddVariables(const common::Process& process, jobspec::EnvVars& env);

}  // namespace howdah::frameworks::mpi
