// `howdah-agent task`: a guardian with the executor as its child.
//
// The guardian is small: it has no thread, no socket and no gRPC. Guardian and executor are both subreapers, so that
// all processes that the task starts remain their descendants, in any session. If the guardian or the executor dies,
// the other one kills all these processes.
//
// The backend that started the guardian sees it end in one of these ways:
//   exit code 0   the AM sent Leave, or the backend sent the guardian SIGTERM (kill everything immediately)
//   exit code N   the executor could not continue, and has logged the reason to stderr; or the executor's event loop
//                 did not turn for 30 s, and the guardian has killed the executor and logged the reason
//   a signal      the signal that killed the executor; the guardian has killed all processes of the task, then itself
#pragma once

#include <cstdint>
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
  std::string job_file;   // the effective job file (jobspec::WriteEffective)
  std::string container;  // the backend's name for the container, sent to the AM
  std::string role;
  int index = 0;
  std::string am_address;  // in the form that rpc::ExecutorLink::Connect requires
  // A descriptor for the first stream to the AM (rpc::ExecutorLink::Over); -1: connect to am_address. Later streams
  // always connect.
  int am_socket = -1;
  // Whether the next AM after a failover may be on another machine. If so, the executor listens for a callback of that
  // AM.
  bool am_may_move = false;
  // The address at which other tasks reach this task. If empty: the source address of connections from this machine to
  // the AM.
  std::string host;
  // Called in the executor's process.
  std::function<Result<rpc::Identity>()> load_identity;
  // A directory with the content for the working directory: `source` (a directory or an archive), then `files/N` for
  // the N-th of the job's files, counted from 0 (a file, a directory, or an archive to unpack). Both exist only if the
  // job file names them. If there is a `manifest.json` (manifest.h), its entries are applied instead of those of the
  // job file.
  std::string staging_dir;
  std::string work_dir;  // working directory of the task; created if absent, shared by all attempts
  // Whether the guardian removes work_dir at the end. Otherwise the backend removes it. A NodeManager whose JVM has no
  // UTF-8 locale cannot remove files with names that are not ASCII.
  bool remove_work_dir = false;
  // The directory for the sockets of feeds. The executor creates it if the job has feeds, and the guardian removes it.
  // RunTask chooses one.
  std::string feed_socket_dir;
  bool keeps_work_dir = false;  // whether work_dir stays after the end of the job (`run --keep`)
  std::string logs_dir;         // contains ATTEMPT/{stdout,stderr}; with several processes ATTEMPT/LOCAL_RANK/...
  // Whether all log files are directly in logs_dir, because YARN does not collect logs from subdirectories. Names:
  // attempt-N.stdout, attempt-N.stderr; with several processes attempt-N.rank-R.stdout and so on.
  bool flat_logs = false;
  std::string python_dir;                        // the unpacked python archive; empty if there is none
  std::map<std::string, std::string> inherited;  // environment variables (inherited.h)
  // The variables with which programs of the task find this program (exec.h). They override inherited variables.
  std::map<std::string, std::string> agent_variables;
  // Stores files of the working directory with the job, when the executor exits. task: "ROLE-INDEX". Called on a thread
  // of its own. Empty if the backend keeps the outputs.
  std::function<Status(const std::string& task, const std::vector<std::string>& files)> store_outputs;
  // Stores the files of logs_dir with the job, when the executor exits, if nothing else will keep them. node_leaves:
  // the AM has reported that the node leaves the cluster. Called on a thread of its own. Empty if the backend keeps
  // them.
  std::function<Status(bool node_leaves)> store_logs;
  // Stores the result of a process with the job, before the end of the process is reported. name:
  // "ROLE-INDEX/LOCAL_RANK". file: a regular file, which may be moved. Called on a thread of its own; calls may
  // overlap.
  std::function<Status(const std::string& name, const std::string& file)> store_result;
  // Replaces the delegation tokens that the executor and the task's processes use. tokens: in the form of the backend.
  // Called on the executor's loop. Empty if the backend has no tokens.
  std::function<Status(const std::string& tokens)> replace_tokens;
  // The soft limit of open files for the task's processes (os/process/limits.h); nullopt: the executor's own limit.
  std::optional<uint64_t> open_files;
  std::optional<std::vector<int>> gpus;  // indices of the task's GPUs; nullopt if the machine has none
  std::string visible_devices;           // CUDA_VISIBLE_DEVICES; empty: the indices above
};

// Runs the guardian and the executor of a task to their end. Returns the exit status of the process. Call this function
// from main, before any thread is started and before gRPC is used.
int RunTask(const TaskOptions& options);

}  // namespace howdah::executor
