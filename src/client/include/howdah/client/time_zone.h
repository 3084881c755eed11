// Time zones by name.
#pragma once

#include <functional>
#include <string>

#include "howdah/base/result.h"
#include "howdah/base/time.h"

namespace howdah::cli {

// How far a zone's local time is ahead of UTC at an instant. name: "UTC", "GMT+6", "UTC+05:30", "+06:00", or one that
// this machine has ("America/Los_Angeles"). kUsage: there is no such zone.
Result<std::function<Duration(Instant)>> TimeZone(const std::string& name);

}  // namespace howdah::cli
