// How often YARN starts the application master of one job. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "howdah/base/time.h"
#include "howdah/hadoop/conf/configuration.h"
#include "howdah/hadoop/messages/yarn.pb.h"
#include "howdah/jobspec/job_spec.h"

namespace howdah::backend::yarn::am {

// How many attempts may fail: what the job wants, and at most what the ResourceManager lets one job have.
int64_t MaxAttempts(const jobspec::JobSpec& spec, const hadoop::conf::Configuration& configuration);

// How many attempts before this one have failed and count, as RMAppImpl does it: not those that were preempted or lost
// with their node, nor those of long ago. attempts: all that the ResourceManager tells of the application.
int64_t CountFailedAttempts(int32_t attempt, const std::vector<::hadoop::yarn::ApplicationAttemptReportProto>& attempts,
                            Instant now);

}  // namespace howdah::backend::yarn::am
