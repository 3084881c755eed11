// For tests only: a backend whose calls fail, except for those that a test overrides.
#pragma once

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "howdah/backend/cluster.h"
#include "howdah/backend/job_metrics.h"
#include "howdah/backend/site.h"

namespace howdah::portal {

inline constexpr char kJobFileWithLogdir[] = R"({"name": "a", "roles": {"w": {"memory": "8MiB", "command": "true"}},)"
                                             R"( "tensorboard": {"logdir": "hdfs://ns1/logs"}})";

class FakeCluster : public backend::Cluster {
 public:
  JobCheck Check(const jobspec::JobSpec&) override { return {}; }
  Result<JobId> Submit(const jobspec::JobSpec&, const backend::SubmitOptions&) override { return error_; }
  Result<JobId> Resolve(const std::string&) override { return error_; }
  Result<journal::JobView> Status(const JobId&) override { return error_; }
  Result<std::vector<journal::JobView>> List(bool, const backend::EndedJobs&) override { return error_; }
  Result<std::vector<JobId>> Jobs(std::optional<Instant>) override { return error_; }
  howdah::Status ReadJournal(const JobId&, const std::function<void(const core::JournalEntry&)>&) override {
    return error_;
  }
  Result<std::unique_ptr<backend::Follow>> FollowJob(const JobId&, std::optional<backend::LogSelection>) override {
    return error_;
  }
  Result<std::vector<backend::LogSource>> LogSources(const JobId&) override { return error_; }
  howdah::Status ReadLog(const JobId&, const backend::LogSource&, std::optional<int64_t>,
                         const std::function<void(std::string_view)>&) override {
    return error_;
  }
  Result<std::unique_ptr<backend::LogFile>> OpenLog(const JobId&, const backend::LogSource&) override { return error_; }
  Result<std::unique_ptr<backend::JobWatch>> Watch() override { return error_; }
  Result<FetchedOutputs> FetchOutputs(const JobId&, const std::string&) override { return error_; }
  Result<std::string> ReadResult(const JobId&, const std::string&, int, int) override { return error_; }
  Result<backend::JobMetrics> Metrics(const JobId&, const metrics::Query&) override { return error_; }
  Result<std::string> JobFile(const JobId&) override { return error_; }
  Result<std::unique_ptr<storage::Files>> OpenFiles(const std::string&) override { return error_; }
  std::string LogsLocation(const JobId&) override { return ""; }
  Result<std::string> Stop(const JobId&, const std::string&, std::optional<Duration>) override { return error_; }
  howdah::Status AwaitGone(const JobId&) override { return error_; }
  howdah::Status Scale(const JobId&, const std::string&, int, const std::string&) override { return error_; }
  Result<std::optional<RenewedTokens>> RenewTokens(const JobId&) override { return error_; }
  Result<rpc::AmContact> Contact(const JobId&) override { return error_; }
  backend::Site& site() override { std::abort(); }

 private:
  const Error error_ = {ErrorCode::kUnavailable, "this backend is made up"};
};

}  // namespace howdah::portal
