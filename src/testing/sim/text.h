// Formats events and actions as lines of a trace.
#pragma once

#include <string>

#include "howdah/core/action.h"
#include "howdah/core/event.h"
#include "howdah/jobspec/job_spec.h"

namespace howdah::testing::sim {

std::string TaskName(const jobspec::JobSpec& spec, TaskId task);  // for example "worker:1"
std::string ToText(const jobspec::JobSpec& spec, const core::Event& event);
std::string ToText(const jobspec::JobSpec& spec, const core::Action& action);
std::string ToText(const core::Change& change);

}  // namespace howdah::testing::sim
