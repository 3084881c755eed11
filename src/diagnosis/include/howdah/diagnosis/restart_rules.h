// Which rule of the job file a failure fits.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "howdah/base/exit_status.h"
#include "howdah/core/states.h"
#include "howdah/jobspec/job_spec.h"

namespace howdah::diagnosis {

// The first of the rules that fits how a process ended; output: the last of what it wrote, of stderr and stdout. A
// signal that a shell tells of (exit code 128 + signal) counts as one. nullopt: none does, or the process succeeded.
std::optional<int> FirstThatFits(const std::vector<jobspec::RestartRule>& rules, const ExitStatus& exit,
                                 std::string_view output);

}  // namespace howdah::diagnosis
