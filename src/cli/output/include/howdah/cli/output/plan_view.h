// The plan of a job as text and as JSON. Pure.
#pragma once

#include <string>

#include "howdah/client/plan.h"

namespace howdah::cli::output {

std::string PlanText(const client::Plan& plan);
std::string PlanJson(const client::Plan& plan);

}  // namespace howdah::cli::output
