// The part of the local backend that runs in howdah-agent: the job of this AM, and its backend::Backend.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "howdah/backend/backend.h"
#include "howdah/backend/local/layout.h"
#include "howdah/base/ids.h"
#include "howdah/base/result.h"
#include "howdah/base/time.h"
#include "howdah/jobspec/job_spec.h"
#include "howdah/os/files/fd.h"
#include "howdah/os/process/clock.h"
#include "howdah/rpc/identity.h"

namespace boost::asio {
class io_context;
}

namespace howdah::backend::local {

class LeaseRegistry;

// Reads the identity of `party` ("am", "executor", "client") from the directory JobFiles::tls().
Result<rpc::Identity> ReadIdentity(const std::string& tls_dir, const std::string& party);

// Fails if another user may change the directory of the job file. Executors call this function before they read the job
// file.
Status CheckJobFile(const std::string& job_file);

// Moves the result of a process to JobFiles::results(). job_file: JobFiles::spec(). name: "ROLE-INDEX/LOCAL_RANK".
// file: a regular file in the job's directory. Replaces the result of an earlier attempt. Thread-safe.
Status StoreResult(const std::string& job_file, const std::string& name, const std::string& file);

// The arguments with which the submitting client starts an AM: `howdah-agent am --job-dir DIR ...`.
struct AmStart {
  std::string agent;    // path of howdah-agent, with which the AM starts executors
  std::string job_dir;  // the job's directory (layout.h); the last component of the path is the job's id
  std::string lease_dir;
  std::optional<uint64_t> open_files;  // the soft limit of open files that executors get (os/process/limits.h)
};

// How executors reach the AM.
struct AmEndpoint {
  std::string address;
  // Serves an executor that has the other end of this socket pair.
  std::function<void(os::files::Fd socket)> add_executor;
};

// A submitted job, for its AM and the AM's guardian. The guardian opens the job before it forks, so both processes hold
// the job's leases. The leases therefore last until the guardian has killed all processes of the job.
class AgentJob {
 public:
  static Result<std::unique_ptr<AgentJob>> Open(AmStart start);
  ~AgentJob();

  const JobId& id() const { return id_; }
  const JobFiles& files() const { return files_; }
  const jobspec::JobSpec& spec() const { return spec_; }

  Result<rpc::Identity> AmIdentity() const;
  // Returns variables ("NAME=VALUE") for tools that the AM starts. The programs of the job's python archive come first
  // in PATH.
  std::vector<std::string> ToolEnvironment() const;
  // Writes the AM's address to a file for clients. Records the AM and its parent, the guardian, as the processes that
  // keep the job alive.
  Status PublishAddress(const std::string& address) const;
  // Returns the port on which an earlier AM of the job listened, or 0 if there was no earlier AM.
  uint16_t PublishedPort() const;
  // For the guardian, after the AM died: returns whether a new AM can continue the job.
  bool CanRestart() const;

  std::unique_ptr<backend::Backend> MakeBackend(boost::asio::io_context& loop, backend::Sink& sink, AmEndpoint am,
                                                const os::process::Clock& clock);

  // Writes the job's history to the directory that `history` in the job file names, for other tools. Does nothing if
  // the job file has no such key. journal: the whole text of the journal, including the line of the final state.
  Status WriteHistory(const std::string& journal) const;
  // Deletes the job's files on this machine except the journal, the logs and the files that a new AM needs, and
  // releases its leases. Errors are written to stderr (am.log) and do not affect the outcome of the job.
  void CleanUp();
  // Deletes the files that a new AM would need to continue the job. Called once the journal contains the end of the
  // job.
  void RemoveRestartFiles();
  // Deletes the reserve file. The freed space allows the end of the job to be recorded on a full disk.
  void FreeReserve() const;
  // For the guardian, after the AM died and all processes have been killed: records the end of the job. how: a
  // predicate such as "was killed by signal 9 (SIGKILL)". error: the error that the AM reported, or empty. stopped:
  // whether somebody has requested the end. If so, the state is KILLED, otherwise FAILED.
  Status RecordAmDeath(const std::string& how, const std::string& error, bool stopped, Instant at) const;

 private:
  AgentJob(AmStart start, jobspec::JobSpec spec, std::unique_ptr<LeaseRegistry> leases);

  AmStart start_;
  JobId id_;
  JobFiles files_;
  jobspec::JobSpec spec_;
  std::unique_ptr<LeaseRegistry> leases_;
};

}  // namespace howdah::backend::local
