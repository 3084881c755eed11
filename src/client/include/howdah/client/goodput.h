// Reads the journals of jobs for a goodput report.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "howdah/client/connection.h"
#include "howdah/client/find_job.h"
#include "howdah/client/goodput_report.h"

namespace howdah::client {

struct GoodputOptions {
  GroupBy by = GroupBy::kJob;
  journal::Window window;  // only this time counts
  journal::Days days;
  Instant now;  // hardware of unfinished jobs counts until now
};

// Reads one job from its submission to its end, regardless of options.window. on_note receives the reason if the job
// file cannot be read.
Result<CountedJob> ReadJobForGoodput(const Job& job, const GoodputOptions& options, const OnNote& on_note);

// Reads the jobs of one backend that existed in options.window, one journal at a time. on_note receives the reason for
// each job that is skipped.
Status ReadCountedJobs(backend::Cluster& cluster, const GoodputOptions& options,
                       const std::function<void(CountedJob)>& on_job, const OnNote& on_note);

// Reads the jobs of the backends that ConnectWithHistory returns, one journal at a time. on_note receives the reason
// for each job and backend that is skipped.
Result<GoodputReport> ReadGoodput(Connection& connection, const GoodputOptions& options, const OnNote& on_note);

}  // namespace howdah::client
