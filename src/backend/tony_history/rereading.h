// The timer of a reader that reads the history again.
#pragma once

#include "howdah/base/result.h"
#include "howdah/base/time.h"
#include "howdah/os/files/fd.h"

namespace howdah::backend::tony_history {

// A timer that is readable now, and again after each interval.
Result<os::files::Fd> StartTimer(Duration interval);
// Whether the timer has expired since the last call.
bool TakeExpiration(const os::files::Fd& timer);

}  // namespace howdah::backend::tony_history
