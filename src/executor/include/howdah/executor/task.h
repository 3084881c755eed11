// `howdah-agent task`: a guardian with the executor as its child.
//
// The guardian is small: no thread, no socket, no gRPC. Guardian and executor are both subreapers, so that all
// processes that the task starts remain their descendants, in whatever session. If one of the two dies, the other kills
// all of them.
//
// The backend that started the guardian sees one of these ends:
//   exit code 0   on order: the AM sent Leave, or the backend sent the guardian SIGTERM (kill everything at once)
//   exit code N   the executor could not go on, and has logged the reason to stderr
//   a signal      the signal that killed the executor; the guardian has killed all processes of the task, then itself
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
  std::string container;  // the backend's name of the container, sent to the AM
  std::string role;
  int index = 0;
  std::string am_address;  // as rpc::ExecutorLink::Connect takes it
  // The next AM after a failover may be on another machine: listen for its callback.
  bool am_may_move = false;
  // Where other tasks reach this one; empty: the address from which this machine reaches the AM.
  std::string host;
  // Called once, in the executor's process.
  std::function<Result<rpc::Identity>()> load_identity;
  // The content of the working directory: `source` (a directory or an archive), then `files/N` for the N-th of the
  // job's files (from 0; a file, a directory, or an archive to unpack), as far as the job file names them. A
  // `manifest.json` (manifest.h), if there is one, takes precedence over the job file.
  std::string staging_dir;
  std::string work_dir;  // working directory of the task; made if absent, kept across attempts
  // By the guardian at the end; otherwise the backend removes it. A NodeManager whose JVM has no UTF-8 locale cannot
  // remove files with names that are not ASCII.
  bool remove_work_dir = false;
  std::string logs_dir;  // of the task: ATTEMPT/{stdout,stderr}, with several processes ATTEMPT/LOCAL_RANK/...
  // No directories below logs_dir: attempt-N.stdout, attempt-N.stderr, with several processes attempt-N.rank-R.stdout.
  // (YARN does not collect logs from subdirectories.)
  bool flat_logs = false;
  std::string python_dir;                        // the unpacked python archive; empty: none
  std::map<std::string, std::string> inherited;  // environment variables (inherited.h)
  // Override inherited ones: how programs of the task find this program (exec.h).
  std::map<std::string, std::string> agent_variables;
  std::optional<std::vector<int>> gpus;  // the GPUs the task may use, by index; nullopt: the machine has none
};

// Runs guardian and executor of a task until the end. Returns the exit status of the process. Call it from main, before
// any thread is started and before gRPC is used.
int RunTask(const TaskOptions& options);

}  // namespace howdah::executor
