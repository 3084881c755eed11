// Calendar days of a time zone, for reports that divide time into days.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <utility>

#include "howdah/base/time.h"

namespace howdah::journal {

// A calendar day of the zone that the report is made for. Convert it with std::chrono::year_month_day.
using Day = std::chrono::local_days;

// Divides time into days. A day of a zone with daylight saving time may have 23 or 25 hours.
class Days {
 public:
  // Days of UTC.
  Days() = default;
  // utc_offset: the difference between local time and UTC at an instant, as client::TimeZone returns it. It must be
  // less than a day, and a function of its argument only.
  explicit Days(std::function<Duration(Instant)> utc_offset) : utc_offset_(std::move(utc_offset)) {}

  Day Of(Instant at) const;
  // The first instant after `at` that belongs to another day.
  Instant EndAfter(Instant at) const;

 private:
  Duration OffsetAt(Instant at) const { return utc_offset_ ? utc_offset_(at) : Duration(); }

  std::function<Duration(Instant)> utc_offset_;
};

// A period for a report: at or after `since`, and before `until`. A limit that is not set does not restrict the period.
struct Window {
  std::optional<Instant> since, until;
};

}  // namespace howdah::journal
