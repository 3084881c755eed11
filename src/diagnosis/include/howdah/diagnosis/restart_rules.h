// Matches a failure against the restart rules of the job file.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "howdah/base/exit_status.h"
#include "howdah/jobspec/job_spec.h"

namespace howdah::diagnosis {

// The position of the first rule that matches. Returns nullopt if no rule matches, or if the process succeeded. output:
// the end of the process's stderr and stdout. A signal that a shell reports as exit code 128 + signal counts as that
// signal.
std::optional<int> FirstMatching(const std::vector<jobspec::RestartRule>& rules, const ExitStatus& exit,
                                 std::string_view output);

}  // namespace howdah::diagnosis
