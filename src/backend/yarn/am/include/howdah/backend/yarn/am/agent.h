// The part of the YARN backend that runs in howdah-agent: the container in which the agent was started.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "howdah/backend/backend.h"
#include "howdah/backend/page_readers.h"
#include "howdah/base/ids.h"
#include "howdah/base/result.h"
#include "howdah/hadoop/conf/configuration.h"
#include "howdah/jobspec/job_spec.h"
#include "howdah/os/process/clock.h"
#include "howdah/rpc/identity.h"
#include "howdah/storage/files.h"

namespace boost::asio {
class io_context;
}

namespace howdah::hadoop::rpc {
struct Token;
}

namespace howdah::backend::yarn::am {

// A submitted job, in the container of its AM. The guardian opens the job before it forks, so Open must not start
// threads or open connections.
class AmJob {
 public:
  static Result<std::unique_ptr<AmJob>> Open(const hadoop::conf::Environment& environment);
  ~AmJob();

  const JobId& id() const;
  const jobspec::JobSpec& spec() const;
  int attempt() const;  // number of the AM attempt, from 0
  std::string node() const;
  std::string journal() const;        // path in the container
  std::string event_log() const;      // path in the container
  std::string metrics() const;        // path in the container
  std::string log_directory() const;  // the log directory of the container
  const rpc::Identity& identity() const;
  // Returns variables ("NAME=VALUE") for tools that the AM starts. The programs of the job's python archive come first
  // in PATH. directory: the current directory, which has the unpacked python archive if the job has one.
  std::vector<std::string> ToolEnvironment(const std::string& directory) const;
  // Opens the file system of a URI with the rights of the job's owner. The result may be used on one thread, which need
  // not be the caller's.
  Result<std::unique_ptr<storage::Files>> OpenFiles(const std::string& uri) const;
  // Returns the address at which other machines of the cluster reach this one.
  Result<std::string> ListenHost() const;

  // The first generation and the first attempt number of its tasks, for an AM without an event log.
  struct StartingPoint {
    int generation = 0;
    int first_task_attempt = 0;
  };
  // Restores the journal, the event log and the metrics of the earlier AMs into this container. The first AM has
  // nothing to restore and starts a journal. A later AM starts the next generation if no event log was stored. If the
  // job's tokens have expired, first waits for newer ones, at most for `timeouts.am`.
  Result<StartingPoint> Restore(const os::process::Clock& clock);

  // Writes the AM's address to a file. Fails if it has another port than ListenPort, because executors or clients still
  // try to connect to that port.
  Status PublishAddress(const std::string& address) const;
  // Returns the port of an earlier AM process of this container, or 0 if there was none.
  uint16_t PublishedPort() const;
  // Returns the port on which the AM must listen: that of an earlier AM process of this container, or the one on which
  // this process waited for newer tokens. 0: any port.
  uint16_t ListenPort() const;
  // Returns the longest time that the cluster may take to detect a failure of the AM or its node.
  Duration FailureDetectionLimit() const;
  // For the guardian, after the AM died: returns whether a new AM process in this container can continue the job.
  bool CanRestart() const;

  // YARN's web proxy: the URL of the AM's web page behind it, and the IP addresses from which it connects to the AM.
  struct WebProxy {
    std::string page_url;
    std::vector<std::string> hosts;
  };
  WebProxy FindWebProxy() const;
  // Creates the check of the page's readers; null if the cluster checks no rights. clock must live longer than the
  // result.
  std::unique_ptr<backend::PageReaders> MakePageReaders(boost::asio::io_context& loop,
                                                        const os::process::Clock& clock) const;

  Result<std::unique_ptr<backend::Backend>> MakeBackend(boost::asio::io_context& loop, backend::Sink& sink,
                                                        const std::string& address, uint16_t tracking_port,
                                                        const os::process::Clock& clock);

  // Writes the job's history to the directory that `history` in the job file names, for other tools. Does nothing if
  // the job file has no such key. journal: the whole text of the journal, including the line of the final state.
  Status WriteHistory(const std::string& journal);

  // For the guardian, after the AM died and its processes have been killed: records the end of the job unless YARN
  // starts another AM. Errors are written to stderr. how: a predicate such as "was killed by signal 9 (SIGKILL)".
  void RecordAmDeath(const std::string& how, Instant at);

 private:
  // am_rm_token: the token for the ResourceManager. If it is null, the end is not reported to the ResourceManager.
  void RecordEnd(const core::JobChanged& end, const std::string& journal, const hadoop::rpc::Token* am_rm_token);

  struct Parts;
  explicit AmJob(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

// Writes the files that are embedded in the credentials of the executor's container to the current directory.
Status ExtractTaskFiles(const hadoop::conf::Environment& environment);
// Writes the credentials of the task's processes to a file in the current directory, readable by its owner only, and
// returns the absolute path. job_file: the path of the effective job.
Result<std::string> WriteTaskCredentials(const hadoop::conf::Environment& environment, const std::string& job_file);
// Replaces the tokens of the executor and those in the file of WriteTaskCredentials by newer ones. tokens: encoded
// credentials.
Status ReplaceTaskTokens(const hadoop::conf::Environment& environment, const std::string& job_file,
                         const std::string& tokens);
// Stores files of a task's working directory in HDFS, at jobs/ID/outputs/ROLE-INDEX/. task: "ROLE-INDEX". Blocks until
// all are stored; starts no thread, and may be called on any thread.
Status StoreOutputs(const hadoop::conf::Environment& environment, const JobId& id, const std::string& task,
                    const std::string& work_dir, const std::vector<std::string>& files);
// Stores the log files of the task in HDFS, at jobs/ID/logs/CONTAINER/, if the NodeManager cannot do it. A NodeManager
// aggregates logs with the tokens of the submission, so it cannot if newer tokens have replaced them. node_leaves: the
// cluster aggregates no logs, and the node of the container leaves it; then the last 64 MiB of each file are stored.
// Blocks; starts no thread, and may be called on any thread.
Status StoreLogs(const hadoop::conf::Environment& environment, const JobId& id, bool node_leaves);
// Stores the result of a process in HDFS, at jobs/ID/results/NAME. name: "ROLE-INDEX/LOCAL_RANK". Replaces the result
// of an earlier attempt. Blocks; starts no thread, and may be called on any thread.
Status StoreResult(const hadoop::conf::Environment& environment, const JobId& id, const std::string& name,
                   const std::string& file);
// Returns the identity of the executor whose container has this file of credentials.
Result<rpc::Identity> ExecutorIdentity(const std::string& credentials_file);

}  // namespace howdah::backend::yarn::am
