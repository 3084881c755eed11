// A job as the ResourceManager alone knows it: before its application master can be asked, and when it never will.
#pragma once

#include <optional>
#include <string>

#include "howdah/core/change.h"
#include "howdah/hadoop/messages/yarn.pb.h"
#include "howdah/journal/job_view.h"

namespace howdah::backend::yarn {

// Whether the ResourceManager has ended the application.
bool HasEnded(const ::hadoop::yarn::ApplicationReportProto& report);

// QUEUED until the AM has registered, RUNNING until the end; no tasks.
journal::JobView ViewFromReport(const ::hadoop::yarn::ApplicationReportProto& report);

// The job's end as it is to be recorded when no AM has recorded it: KILLED for who killed it, FAILED for how the AM
// died, in a sentence made of the ResourceManager's diagnostics.
core::JobChanged EndFromReport(const ::hadoop::yarn::ApplicationReportProto& report);

// "ann on 10.0.0.7" out of "Application application_1_1 was killed by user ann at 10.0.0.7"; empty: it was not.
std::string KilledBy(const std::string& diagnostics);
// How the AM's container ended (ContainerExitStatus), out of the diagnostics of an application or of an attempt whose
// AM failed; nullopt: they do not say.
std::optional<int> AmExitStatus(const std::string& diagnostics);
// "was killed by signal 9 (SIGKILL)" out of the diagnostics of an application whose AM failed.
std::string DescribeAmDeath(const std::string& diagnostics);

}  // namespace howdah::backend::yarn
