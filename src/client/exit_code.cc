#include "howdah/client/exit_code.h"

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
  if (view.exit_code) return *view.exit_code;
  if (view.state == core::JobState::kSucceeded) return kExitOk;
  return view.state == core::JobState::kKilled ? kExitKilled : kExitFailed;
}

}  // namespace howdah::client
