// Reads the journals of jobs for a goodput report.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "howdah/client/connection.h"
#include "howdah/client/find_job.h"
#include "howdah/client/goodput_report.h"
#include "howdah/compat/tony/history/configuration.h"

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

// Reads the jobs of the backends that Connect returns, and those in TonY's history directory if tony-site.xml names
// one. Reads one journal at a time. on_note receives the reason for each job and backend that is skipped.
Result<GoodputReport> ReadGoodput(Connection& connection, const GoodputOptions& options, const OnNote& on_note);

// Computes, by day, the hardware that a job of TonY held: each task counts from its start to its end, with the
// requested resources. `known` is false if the settings do not contain the requests. Returns nullopt if the job is
// outside the window. view: must contain the tasks. Pure.
std::optional<CountedJob> CountTonyJob(const journal::JobView& view,
                                       const std::vector<compat::tony::history::Setting>& settings,
                                       const GoodputOptions& options);

}  // namespace howdah::client
