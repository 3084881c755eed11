// `howdah-agent task`: a guardian with the executor as its child.
//
// The guardian is small: no thread, no socket, no gRPC. Both are subreapers, so that whatever the task's processes
// start, in whatever session, stays below them; either one's death makes the other kill all of it.
//
// How it ends, as the place that started it sees the guardian end:
//   exit code 0   as it was told: the AM said leave, or the place sent the guardian SIGTERM (kill everything, at once)
//   exit code N   the executor could not do its work, and said why on stderr
//   a signal      the executor was killed by it; the guardian has ended everything below, then itself by the same
//   signal
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/rpc/identity.h"

namespace howdah::executor {

struct TaskOptions {
  std::string job_id;
  std::string job_file;   // the effective job (jobspec::WriteEffective)
  std::string container;  // the place's name of the container, said to the AM
  std::string role;
  int index = 0;
  std::string am_address;  // as rpc::ExecutorLink::Connect takes it
  // Another AM, which comes after one that has died, may be on another machine: it is to be able to call.
  bool am_may_move = false;
  // Where the other tasks reach this one; empty: at the address that this machine has towards the AM.
  std::string host;
  // Reads who we are; called once, in the executor's process.
  std::function<Result<rpc::Identity>()> load_identity;
  // What fills the working directory: `source` (a directory or an archive), then `files/N` for the N-th of the job's
  // files (from 0; a file, a directory, or an archive to unpack). What the job file does not name need not be there.
  // Or, if there is one, what `manifest.json` names (manifest.h): then the job file is not asked.
  std::string staging_dir;
  std::string work_dir;  // working directory of the task; made if absent, kept across attempts
  // At the end, by the guardian; else it is the place's to remove. A NodeManager whose JVM has no UTF-8 locale cannot
  // remove what has a name that is not ASCII.
  bool remove_work_dir = false;
  std::string logs_dir;  // of the task: ATTEMPT/{stdout,stderr}, with several processes ATTEMPT/LOCAL_RANK/...
  // The logs directory has no directories: attempt-N.stdout, attempt-N.stderr, with several processes
  // attempt-N.rank-R.stdout. (YARN collects nothing from below.)
  bool flat_logs = false;
  std::string python_dir;        // the unpacked python archive; empty: none
  std::string environment_file;  // JSON {"NAME": "VALUE"}: what the task inherits of the submitter's environment;
                                 // empty: nothing
  // Set for every process of the task, as if inherited: how its programs find this one (`howdah-agent exec`).
  std::map<std::string, std::string> agent_variables;
  std::optional<std::vector<int>> gpus;  // the GPUs the task may use, by index; nullopt: the machine has none
};

// Runs a task's guardian and executor until the end. Returns the exit status of the process. To be called from main
// while it has one thread and nothing of gRPC has been touched.
int RunTask(const TaskOptions& options);

}  // namespace howdah::executor
