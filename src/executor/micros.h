// Converts instants to the unit of the wire messages.
#pragma once

#include <cstdint>

#include "howdah/base/time.h"

namespace howdah::executor {

// Microseconds since the Unix epoch.
inline int64_t Micros(Instant t) { return t.time_since_epoch().count(); }

}  // namespace howdah::executor
