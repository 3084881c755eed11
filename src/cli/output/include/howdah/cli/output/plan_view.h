// The plan of a job as text and as JSON. Pure.
#pragma once

#include <string>

#include "howdah/client/plan.h"

namespace howdah::cli::output {

// Values of variables that look like secrets are hidden (client/secrets.h).
std::string PlanText(const client::Plan& plan);
std::string PlanJson(const client::Plan& plan);

}  // namespace howdah::cli::output
