#include "howdah/client/exit_code.h"

#include <algorithm>
#include <iterator>

namespace howdah::client {

int ExitCodeOf(const Error& error) {
  switch (error.code) {
    case ErrorCode::kUsage:
    case ErrorCode::kNotFound:
      return kExitUsage;  // the command line names something that does not exist
    case ErrorCode::kUnavailable:
    case ErrorCode::kTimeout:
      return kExitUnavailable;
    case ErrorCode::kNoSpace:
    case ErrorCode::kFailed:
      break;
  }
  return kExitFailed;
}

int ExitCodeOf(const journal::JobView& view) {
  // Another number can only come from a damaged journal. As an exit code of a process, it would mean something else.
  constexpr int kRecorded[] = {kExitOk, kExitFailed, kExitUnavailable, kExitKilled};
  if (view.exit_code && std::ranges::find(kRecorded, *view.exit_code) != std::end(kRecorded)) return *view.exit_code;
  if (view.state == core::JobState::kSucceeded) return kExitOk;
  return view.state == core::JobState::kKilled ? kExitKilled : kExitFailed;
}

}  // namespace howdah::client
