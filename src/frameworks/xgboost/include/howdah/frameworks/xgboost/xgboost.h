// The environment variables for XGBoost 2.1 and later. The AM serves the tracker (xgboost_tracker.h).
#pragma once

#include "howdah/frameworks/common/process.h"
#include "howdah/jobspec/job_spec.h"

namespace howdah::frameworks::xgboost {

// Adds the arguments of XGBoost's CommunicatorContext as variables. XGBoost does not read them from the environment, so
// the script must pass them to it. The tracker uses the task id as the rank.
void AddVariables(const common::Process& process, jobspec::EnvVars& env);

}  // namespace howdah::frameworks::xgboost
