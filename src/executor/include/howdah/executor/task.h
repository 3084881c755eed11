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

#include <optional>
#include <string>
#include <vector>

namespace howdah::executor {

struct TaskOptions {
  std::string job_id;
  std::string job_file;   // the effective job (spec::WriteEffective)
  std::string container;  // the place's name of the container, said to the AM
  std::string role;
  int index = 0;
  std::string am_address;          // as rpc::ExecutorLink::Connect takes it
  std::string host = "127.0.0.1";  // where the other tasks reach this one
  std::string tls_dir;             // has ca.pem, executor.pem and executor.key
  // What fills the working directory: `source` (a directory or an archive), then `files/N` for the N-th of the job's
  // files (from 0; a file, a directory, or an archive to unpack). What the job file does not name need not be there.
  std::string staging_dir;
  std::string work_dir;          // working directory of the task; made if absent, kept across attempts
  std::string logs_dir;          // of the task: ATTEMPT/{stdout,stderr}, with several processes ATTEMPT/LOCAL_RANK/...
  std::string python_dir;        // the unpacked python archive; empty: none
  std::string environment_file;  // JSON {"NAME": "VALUE"}: what the task inherits of the submitter's environment;
                                 // empty: nothing
  std::optional<std::vector<int>> gpus;  // the GPUs the task may use, by index; nullopt: the machine has none
};

// Runs a task's guardian and executor until the end. Returns the exit status of the process. To be called from main
// while it has one thread and nothing of gRPC has been touched.
int RunTask(const TaskOptions& options);

}  // namespace howdah::executor
