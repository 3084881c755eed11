// Time zones by name.
#pragma once

#include <functional>
#include <string>

#include "howdah/base/result.h"
#include "howdah/base/time.h"

namespace howdah::client {

// The offset of a zone's local time from UTC at an instant. name: "UTC", "GMT+6", "UTC+05:30", "+06:00", or a zone of
// this machine's database ("America/Los_Angeles"). kUsage: unknown zone.
Result<std::function<Duration(Instant)>> TimeZone(const std::string& name);

}  // namespace howdah::client
