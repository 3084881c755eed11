// For tests only: a backend that has the given jobs, or cannot be reached.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "howdah/backend/testing.h"

namespace howdah::client {

class FakeCluster final : public backend::FailingCluster {
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

 private:
  static Error Unreachable() { return {ErrorCode::kUnavailable, "no answer"}; }

  std::optional<std::vector<journal::JobView>> jobs_;  // newest first; nullopt: the backend cannot be reached
};

}  // namespace howdah::client
