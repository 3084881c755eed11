// Derives the status of a job from the ResourceManager's report of its application. Used when the job's application
// master does not answer.
#pragma once

#include <optional>
#include <string>

#include "howdah/core/change.h"
#include "howdah/hadoop/messages/yarn.pb.h"
#include "howdah/journal/job_view.h"

namespace howdah::backend::yarn {

// Whether the ResourceManager has ended the application.
bool HasEnded(const ::hadoop::yarn::ApplicationReportProto& report);

// Returns a status without tasks: QUEUED until the AM has registered, then RUNNING until the end.
journal::JobView ViewFromReport(const ::hadoop::yarn::ApplicationReportProto& report);

// Returns the end to record for a job whose AM has recorded none: KILLED, with the user who killed the job, or FAILED,
// with the cause of the AM's death from the ResourceManager's diagnostics.
core::JobChanged EndFromReport(const ::hadoop::yarn::ApplicationReportProto& report);

// Returns "ann on 10.0.0.7" from "Application application_1_1 was killed by user ann at 10.0.0.7". Returns an empty
// text if no user killed the application.
std::string KilledBy(const std::string& diagnostics);
// Reads the exit status of the AM's container from the diagnostics of a failed application or attempt. Returns nullopt
// if the diagnostics do not contain it.
std::optional<int> AmExitStatus(const std::string& diagnostics);
// Returns a predicate such as "was killed by signal 9 (SIGKILL)" from the diagnostics of an application whose AM
// failed.
std::string DescribeAmDeath(const std::string& diagnostics);

}  // namespace howdah::backend::yarn
