// Times since the Unix epoch, and durations, as other programs write them.
#pragma once

#include <cstdint>

#include "howdah/base/time.h"

namespace howdah {

// Converts a time since the Unix epoch that a peer or a file has supplied. Any number is safe: a time before 1970
// becomes the beginning of 1970. A time after the year 9999 becomes the end of that year, because FormatInstant cannot
// write a later time.
Instant FromMicros(int64_t micros);
Instant FromMillis(int64_t millis);

// Converts a duration in microseconds that a peer or a file has supplied. Any number is safe to add to an Instant: a
// negative duration becomes 0, and a duration above 100 years becomes 100 years.
Duration DurationFromMicros(int64_t micros);

}  // namespace howdah
