// Computes how many AM attempts YARN starts for one job. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "howdah/base/time.h"
#include "howdah/hadoop/conf/configuration.h"
#include "howdah/hadoop/messages/yarn.pb.h"
#include "howdah/jobspec/job_spec.h"

namespace howdah::backend::yarn::am {

// Returns the number of AM attempts after which YARN gives up the application: am.attempts of the job file, limited by
// the ResourceManager's configuration.
int64_t MaxAttempts(const jobspec::JobSpec& spec, const hadoop::conf::Configuration& configuration);

// Whether the ResourceManager starts another AM after this one has released its own container.
bool MayBeRestarted(const jobspec::JobSpec& spec, const hadoop::conf::Configuration& configuration);

// Counts the failed attempts before `attempt`. Like RMAppImpl, does not count attempts that were preempted or lost with
// their node, or failures older than kAttemptFailureWindow. attempts: all attempts of the application.
int64_t CountFailedAttempts(int32_t attempt, const std::vector<::hadoop::yarn::ApplicationAttemptReportProto>& attempts,
                            Instant now);

// Whether YARN has started an attempt after `attempt`. So it does at once if the cluster has ended `attempt`, for
// example because its AM has released its container; in this case `attempt` does not count as failed.
bool HasLaterAttempt(int32_t attempt, const std::vector<::hadoop::yarn::ApplicationAttemptReportProto>& attempts);

}  // namespace howdah::backend::yarn::am
