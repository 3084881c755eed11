// A job from the ResourceManager's report of its application: used while its application master cannot be asked.
#pragma once

#include <optional>
#include <string>

#include "howdah/core/change.h"
#include "howdah/hadoop/messages/yarn.pb.h"
#include "howdah/journal/job_view.h"

namespace howdah::backend::yarn {

// Whether the ResourceManager has ended the application.
bool HasEnded(const ::hadoop::yarn::ApplicationReportProto& report);

// QUEUED until the AM has registered, then RUNNING until the end. Has no tasks.
journal::JobView ViewFromReport(const ::hadoop::yarn::ApplicationReportProto& report);

// The end to record for a job if its AM has recorded none: KILLED, with the user who killed it, or FAILED, with the
// cause of the AM's death from the ResourceManager's diagnostics.
core::JobChanged EndFromReport(const ::hadoop::yarn::ApplicationReportProto& report);

// "ann on 10.0.0.7" from "Application application_1_1 was killed by user ann at 10.0.0.7"; empty: nobody killed it.
std::string KilledBy(const std::string& diagnostics);
// The exit status of the AM's container from the diagnostics of a failed application or attempt, if they have it.
std::optional<int> AmExitStatus(const std::string& diagnostics);
// "was killed by signal 9 (SIGKILL)" from the diagnostics of an application with a failed AM.
std::string DescribeAmDeath(const std::string& diagnostics);

}  // namespace howdah::backend::yarn
