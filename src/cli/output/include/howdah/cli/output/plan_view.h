// The plan of a job as text and as JSON. Pure.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "howdah/client/plan.h"

namespace howdah::cli::output {

// Values of variables that look like secrets are hidden (client/secrets.h).
std::string PlanText(const client::Plan& plan);
// Passes one JSON object to `write` in pieces, each with at most one task, because a task can have a long environment.
void WritePlanJson(const client::Plan& plan, const std::function<void(std::string_view text)>& write);

}  // namespace howdah::cli::output
