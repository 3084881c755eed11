// The local place as the agent sees it: the job it was started for, and the AM's half of the place.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "howdah/backend/backend.h"
#include "howdah/backend/local/layout.h"
#include "howdah/base/ids.h"
#include "howdah/base/result.h"
#include "howdah/base/time.h"
#include "howdah/jobspec/job_spec.h"
#include "howdah/rpc/identity.h"

namespace boost::asio {
class io_context;
}

namespace howdah::backend::local {

class Ledger;

// Who `party` ("am", "executor", "client") of a job is, from JobFiles::tls().
Result<rpc::Identity> ReadIdentity(const std::string& tls_dir, const std::string& party);

// How an AM is started: `howdah-agent am --job-dir DIR ...`, by the submitting client.
struct AmStart {
  std::string agent;    // path of howdah-agent, for the executors
  std::string job_dir;  // layout.h; its last component is the job's id
  std::string lease_dir;
};

// A submitted job as its AM finds it. Made by the guardian before it forks, so that what the job holds of the machine
// is held until the guardian has ended everything.
class AgentJob {
 public:
  static Result<std::unique_ptr<AgentJob>> Open(AmStart start);
  ~AgentJob();

  const JobId& id() const { return id_; }
  const JobFiles& files() const { return files_; }
  const jobspec::JobSpec& spec() const { return spec_; }

  Result<rpc::Identity> AmIdentity() const;
  // "NAME=VALUE": of tools that the AM itself starts; programs of the job's python archive come first.
  std::vector<std::string> ToolEnvironment() const;
  // Tells clients where the AM listens.
  Status Announce(const std::string& address) const;
  // Where an AM before this one listened; 0: there was none.
  uint16_t AnnouncedPort() const;
  // For the guardian, when the AM has died: what another one needs to take its place is there, and the job has not
  // ended.
  bool CanGoOn() const;

  std::unique_ptr<backend::Backend> MakeBackend(boost::asio::io_context& loop, backend::Sink& sink,
                                                const std::string& address);

  // Removes everything of the job on this machine but its journal and logs, and gives back what it holds. What cannot
  // be removed is said on stderr (am.log): the job's outcome does not depend on it.
  void CleanUp();
  // For the guardian, when the AM has died and everything has been ended: the job's end in the journal.
  Status RecordAmDeath(const std::string& how) const;

 private:
  AgentJob(AmStart start, jobspec::JobSpec spec, std::unique_ptr<Ledger> ledger);

  AmStart start_;
  JobId id_;
  JobFiles files_;
  jobspec::JobSpec spec_;
  std::unique_ptr<Ledger> ledger_;
};

}  // namespace howdah::backend::local
