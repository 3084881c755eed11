// The YARN place as the agent sees it: the container that it was started in.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "howdah/backend/backend.h"
#include "howdah/base/ids.h"
#include "howdah/base/result.h"
#include "howdah/hadoop/conf/configuration.h"
#include "howdah/jobspec/job_spec.h"
#include "howdah/rpc/identity.h"
#include "howdah/storage/files.h"

namespace boost::asio {
class io_context;
}

namespace howdah::hadoop::rpc {
struct Token;
}

namespace howdah::backend::yarn::am {

// A submitted job as its AM finds it in its container. Opened by the guardian before it forks: whatever needs threads
// or connections is made later, by whoever lives.
class AmJob {
 public:
  static Result<std::unique_ptr<AmJob>> Open(const hadoop::conf::Environment& surroundings);
  ~AmJob();

  const JobId& id() const;
  const jobspec::JobSpec& spec() const;
  int attempt() const;  // of the AM: 0 for the first
  std::string node() const;
  std::string journal() const;        // path of the journal in the container
  std::string event_log() const;      // path of what the AM was told
  std::string log_directory() const;  // of the container
  const rpc::Identity& identity() const;
  // "NAME=VALUE": of tools that the AM itself starts; programs of the job's python archive come first.
  std::vector<std::string> ToolEnvironment() const;
  // The file system of a URI, as the job's owner reads it; for one thread, which may be another one.
  Result<std::unique_ptr<storage::Files>> OpenFiles(const std::string& uri) const;
  // The address of this machine at which the others of the cluster reach it.
  Result<std::string> ListenHost() const;

  // Where an AM begins that finds no event log.
  struct Beginning {
    int generation = 0;
    int first_task_attempt = 0;
  };
  // Brings here what the AMs before this one have left: the first finds the journal's first line, a later one the
  // journal and the event log, or, where no event log was stored, begins the next generation.
  Result<Beginning> Begin() const;

  // Notes where the AM listens. An error: one before it in this container listened elsewhere, where it is looked for.
  Status Announce(const std::string& address) const;
  // Where an AM before this one in this container listened; 0: there was none.
  uint16_t AnnouncedPort() const;
  // How long the cluster may take to notice that the AM, or its node, is gone.
  Duration NoticesWithin() const;
  // For the guardian, when the AM has died: another one can take its place here.
  bool CanGoOn() const;

  // The status page as YARN's proxy shows it, and whose requests for it are answered.
  std::string proxy_url() const;
  std::vector<std::string> ProxyHosts() const;

  Result<std::unique_ptr<backend::Backend>> MakeBackend(boost::asio::io_context& loop, backend::Sink& sink,
                                                        const std::string& address, uint16_t tracking_port);

  // For the guardian, when the AM has died and everything of it here has been ended. If YARN starts no other AM the
  // job's end is recorded; what cannot be done is said on stderr.
  void RecordAmDeath(const std::string& how);

 private:
  Status WriteHistory(const std::string& journal);
  // am_rm_token: null: there is none, and the ResourceManager is not told.
  void RecordEnd(const core::JobChanged& end, const std::string& journal, const hadoop::rpc::Token* am_rm_token);

  // With the line that says so behind the journal.
  Beginning NextGeneration(std::string& journal) const;

  struct Parts;
  explicit AmJob(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

// Puts what an executor's container was given with its credentials, the job file, into the current directory.
Status PlaceTaskFiles(const hadoop::conf::Environment& surroundings);
// What the executor of a container is, by the container's credentials.
Result<rpc::Identity> ExecutorIdentity(const hadoop::conf::Environment& surroundings);

}  // namespace howdah::backend::yarn::am
