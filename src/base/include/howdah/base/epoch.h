// Times since the Unix epoch, and durations, as other programs write them.
#pragma once

#include <cstdint>

#include "howdah/base/time.h"

namespace howdah {

// Converts a number that a peer or a file gives as the time since the Unix epoch. Any number is safe: a time before
// 1970 becomes the beginning of 1970, and one after the year 9999 the end of that year, the last one that FormatInstant
// can write.
Instant FromMicros(int64_t micros);
Instant FromMillis(int64_t millis);

// Converts a duration in microseconds that a peer or a file gives. Any number is safe to add to an Instant: a negative
// one becomes 0, and more than 100 years become 100 years.
Duration DurationFromMicros(int64_t micros);

}  // namespace howdah
