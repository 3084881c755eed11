// A timer for a reader that reads something again and again, because it gets no events.
#pragma once

#include "howdah/base/result.h"
#include "howdah/base/time.h"
#include "howdah/os/files/fd.h"

namespace howdah::os::process {

// Returns a timer that is readable now, and again after each interval (timerfd).
Result<files::Fd> StartPeriodicTimer(Duration interval);
// Makes the timer unreadable until it expires again. Returns whether it has expired since the last call.
bool TakeExpiration(const files::Fd& timer);

}  // namespace howdah::os::process
