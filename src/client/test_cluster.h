// For tests only: a backend that has the given jobs, or cannot be reached.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "howdah/backend/cluster.h"
#include "howdah/backend/job_metrics.h"

namespace howdah::client {

class FakeCluster final : public backend::Cluster {
 public:
  explicit FakeCluster(std::optional<std::vector<journal::JobView>> jobs) : jobs_(std::move(jobs)) {}

  Result<std::vector<journal::JobView>> List(bool ended_too, const backend::EndedJobs&) override {
    if (!jobs_) return Unreachable();
    std::vector<journal::JobView> listed = *jobs_;
    if (!ended_too) std::erase_if(listed, [](const journal::JobView& job) { return core::IsFinal(job.state); });
    return listed;
  }
  Result<JobId> Resolve(const std::string& name) override {
    if (!jobs_) return Unreachable();
    for (const journal::JobView& job : *jobs_) {
      if (name == "last" || name == job.id) return JobId{job.id};
    }
    return Error{ErrorCode::kNotFound, "no job '" + name + "'"};
  }
  Result<journal::JobView> Status(const JobId& id) override {
    HOWDAH_TRY(const JobId resolved, Resolve(id.text));
    return *std::find_if(jobs_->begin(), jobs_->end(),
                         [&](const journal::JobView& job) { return job.id == resolved.text; });
  }
  Result<std::string> JobFile(const JobId& id) override { return "job file of " + id.text; }
  std::string LogsLocation(const JobId& id) override { return id.text; }

  JobCheck Check(const jobspec::JobSpec&) override { return {}; }
  Result<JobId> Submit(const jobspec::JobSpec&, const backend::SubmitOptions&) override { return Unreachable(); }
  Result<std::vector<JobId>> Jobs(std::optional<Instant>) override { return Unreachable(); }
  howdah::Status ReadJournal(const JobId&, const std::function<void(const core::JournalEntry&)>&) override {
    return Unreachable();
  }
  Result<std::unique_ptr<backend::Follow>> FollowJob(const JobId&, std::optional<backend::LogSelection>) override {
    return Unreachable();
  }
  Result<std::vector<backend::LogSource>> LogSources(const JobId&) override { return Unreachable(); }
  howdah::Status ReadLog(const JobId&, const backend::LogSource&, std::optional<int64_t>,
                         const std::function<void(std::string_view)>&) override {
    return Unreachable();
  }
  Result<std::unique_ptr<backend::LogFile>> OpenLog(const JobId&, const backend::LogSource&) override {
    return Unreachable();
  }
  Result<std::unique_ptr<backend::JobWatch>> Watch() override { return Unreachable(); }
  Result<FetchedOutputs> FetchOutputs(const JobId&, const std::string&) override { return Unreachable(); }
  Result<std::string> ReadResult(const JobId&, const std::string&, int, int) override { return Unreachable(); }
  Result<backend::JobMetrics> Metrics(const JobId&, const metrics::Query&) override { return Unreachable(); }
  Result<std::unique_ptr<storage::Files>> OpenFiles(const std::string&) override { return Unreachable(); }
  Result<std::string> Stop(const JobId&, const std::string&, std::optional<Duration>) override { return Unreachable(); }
  howdah::Status AwaitGone(const JobId&) override { return Unreachable(); }
  howdah::Status Scale(const JobId&, const std::string&, int, const std::string&) override { return Unreachable(); }
  Result<std::optional<RenewedTokens>> RenewTokens(const JobId&) override { return Unreachable(); }
  Result<rpc::AmContact> Contact(const JobId&) override { return Unreachable(); }
  backend::Site& site() override { std::abort(); }

 private:
  static Error Unreachable() { return {ErrorCode::kUnavailable, "no answer"}; }

  std::optional<std::vector<journal::JobView>> jobs_;  // newest first; nullopt: the backend cannot be reached
};

}  // namespace howdah::client
