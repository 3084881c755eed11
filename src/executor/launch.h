// What one process of the task is started with: command, environment, directory, log files.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "howdah/base/host_port.h"
#include "howdah/base/ids.h"
#include "howdah/core/job.h"
#include "howdah/core/states.h"
#include "howdah/executor/task.h"
#include "howdah/frameworks/framework.h"
#include "howdah/jobspec/job_spec.h"
#include "howdah/os/files/fd.h"
#include "howdah/os/process/spawn.h"
#include "log_files.h"

namespace howdah::executor {

using Variables = std::map<std::string, std::string>;

// Reads TaskOptions::environment_file.
Result<Variables> ReadInherited(const std::string& environment_file);

// Which process.
struct RankPlace {
  int attempt = 0;
  int generation = 0;
  int local_rank = 0;
  int index = 0;  // of the task among those of its role in the cluster
};

// What the start of an attempt says about the others.
struct Surroundings {
  core::PeerGroup cluster;
  HostPort rendezvous;       // port 0: there is none
  jobspec::EnvVars exports;  // what roles that have ended hand on to this one
};

// What stays the same over all attempts of the task.
struct TaskPlan {
  TaskOptions options;
  jobspec::JobSpec spec;
  TaskId task;
  Variables inherited;
  frameworks::StartSupport start_support;  // empty where the framework starts nothing by itself
  std::string interface;          // the network interface through which the others reach the task; empty: not known
  uint16_t tensorboard_port = 0;  // reserved for a TensorBoard of the task's own; 0: none

  LogFiles logs(const RankPlace& place) const {
    return LogFilesOf(options, role().processes, place.attempt, place.local_rank);
  }
  const jobspec::RoleSpec& role() const { return spec.roles[static_cast<size_t>(task.role)]; }
};

// Later ones override earlier ones: inherited, python archive, GPUs, framework, the job's env, what other roles have
// exported, the role's env.
Variables MakeEnvironment(const TaskPlan& plan, const Surroundings& surroundings, const RankPlace& place);

// Why a command cannot be started: as a shell would say it.
struct StartProblem {
  std::optional<int> code;  // 127 not found, 126 not executable; nullopt: neither
  std::string line;         // what a shell would write to stderr
};

struct Launch {
  os::process::SpawnRequest request;
  os::files::Fd out, err;  // request's streams
  std::string path;        // PATH of the process, in which its command was looked up
  std::optional<StartProblem> problem;
};

// An error: the log files cannot be made.
Result<Launch> PrepareLaunch(const TaskPlan& plan, const Surroundings& surroundings, const RankPlace& place);

// A command of somebody else's in the task's surroundings: request without streams. Its problem, if any, is the
// command's.
Launch PrepareCommand(const TaskPlan& plan, const Surroundings& surroundings, const RankPlace& place,
                      const jobspec::Command& command);

// A failed Spawn as a shell would say it.
StartProblem ToProblem(const os::process::SpawnRequest& request, const os::process::SpawnError& error);

}  // namespace howdah::executor
