#include "howdah/base/time.h"

#include <charconv>
#include <cstdio>

namespace howdah {
namespace {

struct TimeUnit {
  std::string_view name;
  int64_t micros;
};
// Largest unit first: DurationToText uses the first unit that divides the duration.
constexpr TimeUnit kUnits[] = {
    {"d", 86'400'000'000}, {"h", 3'600'000'000}, {"m", 60'000'000}, {"s", 1'000'000}, {"ms", 1'000}};
constexpr int64_t kLimitMicros = int64_t{100} * 365 * 86'400'000'000;

template <typename... Args>
std::string Format(const char* format, Args... args) {
  char text[64];
  const int size = std::snprintf(text, sizeof text, format, args...);
  return std::string(text, static_cast<size_t>(size));
}

}  // namespace

Instant ToInstant(const timespec& time) {
  return Instant(std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_nsec / 1000));
}

std::string FormatInstant(Instant t) {
  const auto day = std::chrono::floor<std::chrono::days>(t);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss<std::chrono::milliseconds> time(std::chrono::floor<std::chrono::milliseconds>(t - day));
  return Format("%04d-%02u-%02uT%02d:%02d:%02d.%03dZ", static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                static_cast<int>(time.hours().count()), static_cast<int>(time.minutes().count()),
                static_cast<int>(time.seconds().count()), static_cast<int>(time.subseconds().count()));
}

std::optional<Instant> ParseInstant(std::string_view text) {
  constexpr std::string_view kForm = "0000-00-00T00:00:00.000Z";
  if (text.size() != kForm.size()) return std::nullopt;
  for (size_t i = 0; i < kForm.size(); ++i) {  // sscanf alone also accepts signs and blanks before numbers
    const bool is_digit = text[i] >= '0' && text[i] <= '9';
    if (kForm[i] == '0' ? !is_digit : text[i] != kForm[i]) return std::nullopt;
  }
  int year = 0, hour = 0, minute = 0, second = 0, millis = 0;
  unsigned month = 0, day = 0;
  std::sscanf(std::string(text).c_str(), "%4d-%2u-%2uT%2d:%2d:%2d.%3dZ", &year, &month, &day, &hour, &minute, &second,
              &millis);
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(month), std::chrono::day(day)};
  if (!date.ok() || hour > 23 || minute > 59 || second > 60) return std::nullopt;
  return Instant(std::chrono::sys_days(date).time_since_epoch() + std::chrono::hours(hour) +
                 std::chrono::minutes(minute) + std::chrono::seconds(second) + std::chrono::milliseconds(millis));
}

std::string FormatDuration(Duration d) {
  const int64_t micros = d.count() < 0 ? 0 : d.count();
  const long long seconds = micros / 1'000'000;
  if (micros < 1'000'000) return Format("%lldms", static_cast<long long>(micros / 1000));
  if (seconds < 60) return Format("%lld.%llds", seconds, static_cast<long long>(micros / 100'000 % 10));
  if (seconds < 3600) return Format("%lldm%02llds", seconds / 60, seconds % 60);
  if (seconds < 86400) return Format("%lldh%02lldm", seconds / 3600, seconds / 60 % 60);
  return Format("%lldd%02lldh", seconds / 86400, seconds / 3600 % 24);
}

std::optional<Duration> ParseDuration(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || text.empty() || text.front() == '-') return std::nullopt;
  const std::string_view unit = text.substr(static_cast<size_t>(end - text.data()));
  for (const TimeUnit& u : kUnits) {
    if (u.name != unit) continue;
    if (number > kLimitMicros / u.micros) return std::nullopt;
    return Duration(number * u.micros);
  }
  return std::nullopt;
}

std::string DurationToText(Duration d) {
  for (const TimeUnit& u : kUnits) {
    if (d.count() != 0 && d.count() % u.micros == 0) return std::to_string(d.count() / u.micros) + std::string(u.name);
  }
  return "0s";
}

}  // namespace howdah
