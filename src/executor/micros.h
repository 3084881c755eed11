// Instants as the wire messages carry them.
#pragma once

#include <cstdint>

#include "howdah/base/time.h"

namespace howdah::executor {

// Microseconds since the Unix epoch.
inline int64_t Micros(Instant t) { return t.time_since_epoch().count(); }

}  // namespace howdah::executor
