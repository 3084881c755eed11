#include "howdah/base/epoch.h"

#include <algorithm>

namespace howdah {
namespace {

constexpr int64_t kLastMicros = 253'402'300'799'999'999;  // the microseconds of 9999-12-31T23:59:59.999999Z

constexpr int64_t kLongestMicros = int64_t{100} * 365 * 86'400'000'000;

}  // namespace

Instant FromMicros(int64_t micros) { return Instant(Duration(std::clamp<int64_t>(micros, 0, kLastMicros))); }

Instant FromMillis(int64_t millis) { return FromMicros(std::clamp<int64_t>(millis, 0, kLastMicros / 1000 + 1) * 1000); }

Duration DurationFromMicros(int64_t micros) { return Duration(std::clamp<int64_t>(micros, 0, kLongestMicros)); }

}  // namespace howdah
