// The exit codes of the `howdah` program.
#pragma once

#include "howdah/base/result.h"
#include "howdah/journal/job_view.h"

namespace howdah::client {

inline constexpr int kExitOk = 0, kExitFailed = 1, kExitUsage = 2, kExitUnavailable = 3, kExitKilled = 4,
                     kExitTimeout = 5;

// The exit code of a command that failed.
int ExitCodeOf(const Error& error);
// The exit code of `run` and `wait` for a job that has ended.
int ExitCodeOf(const journal::JobView& view);

}  // namespace howdah::client
