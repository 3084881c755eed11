// The client side of the local backend.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "howdah/backend/cluster.h"
#include "howdah/backend/local/layout.h"

namespace howdah::backend::local {

struct Capacity;  // capacity.h

struct LocalOptions {
  std::string home;              // layout.h; absolute
  std::string agent;             // path of howdah-agent
  jobspec::EnvVars environment;  // the submitter's variables; tasks inherit some of them
  std::chrono::milliseconds am_start_limit = std::chrono::seconds(20);
  std::function<std::string()> user;  // the submitter's name; called when it is needed, because it may run `id`
};

// Single-threaded. Reads the files of jobs and calls the AMs of running jobs. If the AM and the guardian of a job have
// died without recording its end, this class records the end.
class LocalCluster final : public backend::Cluster {
 public:
  explicit LocalCluster(LocalOptions options);

  JobCheck Check(const jobspec::JobSpec& spec) override;
  Result<JobId> Submit(const jobspec::JobSpec& spec, const backend::SubmitOptions& options) override;
  Result<JobId> Resolve(const std::string& name) override;
  Result<journal::JobView> Status(const JobId& id) override;
  Result<std::vector<journal::JobView>> List(bool ended_too, const backend::EndedJobs& known) override;
  Result<std::vector<JobId>> Jobs(std::optional<Instant> since) override;
  howdah::Status ReadJournal(const JobId& id, const std::function<void(const core::JournalEntry&)>& on_entry) override;
  Result<std::unique_ptr<backend::Follow>> FollowJob(const JobId& id,
                                                     std::optional<backend::LogSelection> logs) override;
  Result<std::vector<backend::LogSource>> LogSources(const JobId& id) override;
  howdah::Status ReadLog(const JobId& id, const backend::LogSource& source, std::optional<int64_t> last_lines,
                         const std::function<void(std::string_view)>& on_bytes) override;
  Result<std::unique_ptr<backend::LogFile>> OpenLog(const JobId& id, const backend::LogSource& source) override;
  Result<std::unique_ptr<backend::JobWatch>> Watch() override;
  Result<FetchedOutputs> FetchOutputs(const JobId& id, const std::string& directory) override;
  Result<std::string> ReadResult(const JobId& id, const std::string& role, int index, int local_rank) override;
  Result<backend::JobMetrics> Metrics(const JobId& id, const metrics::Query& query) override;
  Result<std::string> JobFile(const JobId& id) override;
  Result<std::unique_ptr<storage::Files>> OpenFiles(const std::string& uri) override;
  std::string LogsLocation(const JobId& id) override;
  Result<std::string> Stop(const JobId& id, const std::string& by, std::optional<Duration> grace) override;
  howdah::Status AwaitGone(const JobId& id) override;
  Result<std::optional<RenewedTokens>> RenewTokens(const JobId& id) override;
  howdah::Status Scale(const JobId& id, const std::string& role, int instances, const std::string& by) override;
  Result<rpc::AmContact> Contact(const JobId& id) override;
  backend::Site& site() override { return *site_; }

 private:
  LocalOptions options_;
  Layout layout_;
  std::unique_ptr<backend::Site> site_;
};

}  // namespace howdah::backend::local
