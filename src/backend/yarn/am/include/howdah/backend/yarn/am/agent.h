// The YARN backend in howdah-agent: the container that it was started in.
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

// A submitted job in the container of its AM. Opened by the guardian before it forks, so it starts no thread and opens
// no connection before the process that needs them exists.
class AmJob {
 public:
  static Result<std::unique_ptr<AmJob>> Open(const hadoop::conf::Environment& environment);
  ~AmJob();

  const JobId& id() const;
  const jobspec::JobSpec& spec() const;
  int attempt() const;  // of the AM, from 0
  std::string node() const;
  std::string journal() const;        // path in the container
  std::string event_log() const;      // path in the container
  std::string log_directory() const;  // of the container
  const rpc::Identity& identity() const;
  // "NAME=VALUE", for tools that the AM starts; programs of the job's python archive come first in PATH.
  std::vector<std::string> ToolEnvironment() const;
  // The file system of a URI, with the rights of the job's owner. May be used by one thread other than the caller's.
  Result<std::unique_ptr<storage::Files>> OpenFiles(const std::string& uri) const;
  // The address at which other machines of the cluster reach this one.
  Result<std::string> ListenHost() const;

  // Where an AM without an event log starts.
  struct StartingPoint {
    int generation = 0;
    int first_task_attempt = 0;
  };
  // Restores the journal and event log of earlier AMs to this container. The first AM starts with the journal's first
  // line; a later one for which no event log was stored starts the next generation.
  Result<StartingPoint> Restore() const;

  // Writes down where the AM listens. Fails if an earlier AM of this container listened on another port, on which its
  // executors will look for it.
  Status PublishAddress(const std::string& address) const;
  // The port of an earlier AM of this container; 0: there was none.
  uint16_t PublishedPort() const;
  // How long the cluster may take to notice that the AM or its node has failed.
  Duration FailureDetectionLimit() const;
  // For the guardian, after the AM died: whether a new AM process can continue here.
  bool CanRestart() const;

  // The URL of the AM's web page behind YARN's proxy, and the addresses from which the proxy calls it.
  std::string proxy_url() const;
  std::vector<std::string> ProxyHosts() const;

  Result<std::unique_ptr<backend::Backend>> MakeBackend(boost::asio::io_context& loop, backend::Sink& sink,
                                                        const std::string& address, uint16_t tracking_port);

  // For the guardian, after the AM died and its processes have been killed. Records the end of the job unless YARN
  // starts another AM. Errors go to stderr.
  void RecordAmDeath(const std::string& how);

 private:
  Status WriteHistory(const std::string& journal);
  // am_rm_token: null if there is none; the ResourceManager is then not informed.
  void RecordEnd(const core::JobChanged& end, const std::string& journal, const hadoop::rpc::Token* am_rm_token);

  // Appends the entry of the new generation to the journal.
  StartingPoint NextGeneration(std::string& journal) const;

  struct Parts;
  explicit AmJob(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

// Writes the files that are embedded in the credentials of an executor's container to the current directory.
Status ExtractTaskFiles(const hadoop::conf::Environment& environment);
// The identity of the executor in this container.
Result<rpc::Identity> ExecutorIdentity(const hadoop::conf::Environment& environment);

}  // namespace howdah::backend::yarn::am
