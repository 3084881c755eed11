#include "howdah/client/time_zone.h"

#include <absl/time/time.h>
#include <unistd.h>

#include <optional>

#include "howdah/base/number.h"

namespace howdah::client {
namespace {

constexpr char kZones[] = "/usr/share/zoneinfo/";

std::optional<int> Number(std::string_view text, int most) {
  const auto number = ParseNumber<int>(text);
  return number && text.front() != '-' && *number <= most ? number : std::nullopt;
}

// Parses "UTC", "GMT+6" or "+05:30". Returns nullopt if the name is not an offset.
std::optional<Duration> Offset(std::string_view name) {
  if (name == "Z") return Duration(0);
  for (const std::string_view prefix : {"UTC", "GMT", "UT"}) {
    if (!name.starts_with(prefix)) continue;
    name.remove_prefix(prefix.size());
    if (name.empty()) return Duration(0);
    break;
  }
  if (name.empty() || (name.front() != '+' && name.front() != '-')) return std::nullopt;
  const bool behind = name.front() == '-';
  name.remove_prefix(1);
  const size_t colon = name.find(':');
  const auto hours = Number(name.substr(0, colon), 18);
  const auto minutes = colon == std::string_view::npos ? std::optional(0) : Number(name.substr(colon + 1), 59);
  if (!hours || !minutes) return std::nullopt;
  const Duration ahead = std::chrono::hours(*hours) + std::chrono::minutes(*minutes);
  return behind ? -ahead : ahead;
}

}  // namespace

Result<std::function<Duration(Instant)>> TimeZone(const std::string& name) {
  if (const auto offset = Offset(name))
    return std::function<Duration(Instant)>([ahead = *offset](Instant) { return ahead; });
  const bool may_be_name = !name.empty() && name.front() != '/' && name.find("..") == std::string::npos;
  absl::TimeZone zone;
  if (!may_be_name || access((kZones + name).c_str(), R_OK) != 0 || !absl::LoadTimeZone(name, &zone)) {
    return Error{ErrorCode::kUsage, "unknown time zone '" + name + "'; write the name of a file in " + kZones +
                                        ", or an offset such as +05:30"};
  }
  return std::function<Duration(Instant)>([zone](Instant instant) -> Duration {
    return std::chrono::seconds(zone.At(absl::FromUnixMicros(instant.time_since_epoch().count())).offset);
  });
}

}  // namespace howdah::client
