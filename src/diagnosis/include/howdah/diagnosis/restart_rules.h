// Matches a failure against the restart rules of the job file.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "howdah/base/exit_status.h"
#include "howdah/jobspec/job_spec.h"

namespace howdah::diagnosis {

// Returns the index of the first matching rule, or nullopt if no rule matches or the process succeeded. output: the end
// of the process's stderr and stdout. An exit code of 128 + N, by which a shell reports signal N, matches rules for
// signal N.
std::optional<int> FirstMatching(const std::vector<jobspec::RestartRule>& rules, const ExitStatus& exit,
                                 std::string_view output);

}  // namespace howdah::diagnosis
