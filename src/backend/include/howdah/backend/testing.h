// For tests only: a backend whose calls fail, except for those that a test overrides.
#pragma once

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "howdah/backend/cluster.h"
#include "howdah/backend/job_metrics.h"
#include "howdah/backend/site.h"

namespace howdah::backend {

class FailingCluster : public Cluster {
 public:
  JobCheck Check(const jobspec::JobSpec&) override { return {}; }
  Result<JobId> Submit(const jobspec::JobSpec&, const SubmitOptions&) override { return error_; }
  Result<JobId> Resolve(const std::string&) override { return error_; }
  Result<journal::JobView> Status(const JobId&) override { return error_; }
  Result<std::vector<journal::JobView>> List(bool, const EndedJobs&) override { return error_; }
  Result<std::vector<JobId>> Jobs(std::optional<Instant>) override { return error_; }
  howdah::Status ReadJournal(const JobId&, const std::function<void(const core::JournalEntry&)>&) override {
    return error_;
  }
  Result<std::unique_ptr<Follow>> FollowJob(const JobId&, std::optional<LogSelection>) override { return error_; }
  Result<std::vector<LogSource>> LogSources(const JobId&) override { return error_; }
  howdah::Status ReadLog(const JobId&, const LogSource&, std::optional<int64_t>,
                         const std::function<void(std::string_view)>&) override {
    return error_;
  }
  Result<std::unique_ptr<LogFile>> OpenLog(const JobId&, const LogSource&) override { return error_; }
  Result<std::unique_ptr<JobWatch>> Watch() override { return error_; }
  Result<FetchedOutputs> FetchOutputs(const JobId&, const std::string&) override { return error_; }
  Result<std::string> ReadResult(const JobId&, const std::string&, int, int) override { return error_; }
  Result<JobMetrics> Metrics(const JobId&, const metrics::Query&) override { return error_; }
  Result<std::string> JobFile(const JobId&) override { return error_; }
  Result<std::unique_ptr<storage::Files>> OpenFiles(const std::string&) override { return error_; }
  std::string LogsLocation(const JobId&) override { return ""; }
  Result<std::string> Stop(const JobId&, const std::string&, std::optional<Duration>) override { return error_; }
  howdah::Status AwaitGone(const JobId&) override { return error_; }
  howdah::Status Scale(const JobId&, const std::string&, int, const std::string&) override { return error_; }
  Result<std::optional<RenewedTokens>> RenewTokens(const JobId&) override { return error_; }
  Result<rpc::AmContact> Contact(const JobId&) override { return error_; }
  Site& site() override { std::abort(); }

 private:
  const Error error_ = {ErrorCode::kUnavailable, "this backend is made up"};
};

}  // namespace howdah::backend
