// XGBoost 2.1 and later. The AM serves the tracker (xgboost_tracker.h).
#pragma once

#include "howdah/frameworks/common/process.h"
#include "howdah/jobspec/job_spec.h"

namespace howdah::frameworks::xgboost {

// Adds what CommunicatorContext takes as arguments. XGBoost does not read it from the environment, so the script passes
// it on. The tracker assigns to each process the rank that is its task id.
void AddVariables(const common::Process& process, jobspec::EnvVars& env);

}  // namespace howdah::frameworks::xgboost
