// Finds time zones by name.
#pragma once

#include <functional>
#include <string>

#include "howdah/base/result.h"
#include "howdah/base/time.h"

namespace howdah::client {

// Returns a function that computes the difference between a zone's local time and UTC at an instant. `name` is "UTC",
// "GMT+6", "UTC+05:30", "+06:00", or a zone of this machine's database ("America/Los_Angeles"). Returns kUsage for an
// unknown zone.
Result<std::function<Duration(Instant)>> TimeZone(const std::string& name);

}  // namespace howdah::client
