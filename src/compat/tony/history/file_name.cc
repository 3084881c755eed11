#include "howdah/compat/tony/history/file_name.h"

#include <algorithm>
#include <cstdio>

#include "howdah/base/number.h"

namespace howdah::compat::tony::history {
namespace {

constexpr std::string_view kEnding = ".jhist", kInProgressEnding = ".jhist.inprogress";
constexpr std::string_view kYarnPrefix = "application_";

std::string MillisText(Instant instant) {
  return std::to_string(std::chrono::floor<std::chrono::milliseconds>(instant).time_since_epoch().count());
}

std::optional<Instant> ParseMillis(std::string_view text) {
  constexpr int64_t kMost = int64_t{1} << 50;  // about 35,000 years
  const auto millis = ParseNumber<int64_t>(text);
  if (!millis || *millis < 0 || *millis > kMost) return std::nullopt;
  return Instant(std::chrono::milliseconds(*millis));
}

// Removes and returns the part before the first '-'.
std::string_view TakePart(std::string_view& text) {
  const size_t dash = std::min(text.find('-'), text.size());
  const std::string_view part = text.substr(0, dash);
  text.remove_prefix(std::min(dash + 1, text.size()));
  return part;
}

bool IsApplication(std::string_view id) {
  constexpr size_t kLongest = 64;  // those of YARN have about 30 characters
  return !id.empty() && id.size() <= kLongest && std::all_of(id.begin(), id.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

bool IsStatus(std::string_view word) {
  return !word.empty() && word.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_") == std::string_view::npos;
}

}  // namespace

std::string UserInFileName(const std::string& user) {
  std::string readable;
  for (const char c : user) {
    const bool capital = c >= 'A' && c <= 'Z';
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    readable += capital ? static_cast<char>(c - 'A' + 'a') : plain ? c : '_';
  }
  return readable.empty() ? "unknown" : readable;
}

std::string WriteFileName(const FileName& name) {
  std::string text = name.application + "-" + MillisText(name.started) + "-";
  if (!name.completed) return text + UserInFileName(name.user) + std::string(kInProgressEnding);
  return text + MillisText(*name.completed) + "-" + UserInFileName(name.user) + "-" + name.status +
         std::string(kEnding);
}

std::optional<FileName> ParseFileName(std::string_view name) {
  const bool in_progress = name.ends_with(kInProgressEnding);
  if (!in_progress && !name.ends_with(kEnding)) return std::nullopt;
  name.remove_suffix(in_progress ? kInProgressEnding.size() : kEnding.size());
  FileName read;
  read.application = TakePart(name);
  const auto started = ParseMillis(TakePart(name));
  if (!IsApplication(read.application) || !started) return std::nullopt;
  read.started = *started;
  if (!in_progress) {
    read.completed = ParseMillis(TakePart(name));
    const size_t dash = name.rfind('-');
    if (!read.completed || dash == std::string_view::npos || !IsStatus(name.substr(dash + 1))) return std::nullopt;
    read.status = name.substr(dash + 1);
    name = name.substr(0, dash);
  }
  read.user = name;
  return read;
}

std::string ApplicationOf(const std::string& job, std::optional<Instant> submitted) {
  if (job.starts_with(kYarnPrefix)) return job;
  uint32_t hash = 2166136261u;  // FNV-1a
  for (const char c : job) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  char number[16];
  std::snprintf(number, sizeof number, "_%07u", hash % 10'000'000);
  return std::string(kYarnPrefix) + MillisText(submitted.value_or(Instant())) + number;
}

std::string DayDirectory(Instant instant, Duration utc_offset) {
  const std::chrono::year_month_day day(std::chrono::floor<std::chrono::days>(instant + utc_offset));
  char text[32];
  std::snprintf(text, sizeof text, "%04d/%02u/%02u", static_cast<int>(day.year()), static_cast<unsigned>(day.month()),
                static_cast<unsigned>(day.day()));
  return text;
}

std::optional<Instant> EndOfDay(std::string_view text) {
  constexpr std::string_view kShape = "dddd/dd/dd";
  if (text.size() != kShape.size()) return std::nullopt;
  for (size_t i = 0; i < text.size(); ++i) {
    if (kShape[i] == 'd' ? text[i] < '0' || text[i] > '9' : text[i] != kShape[i]) return std::nullopt;
  }
  const auto number = [&](size_t at, size_t size) { return ParseNumber<int>(text.substr(at, size)).value_or(0); };
  const std::chrono::year_month_day day(std::chrono::year(number(0, 4)),
                                        std::chrono::month(static_cast<unsigned>(number(5, 2))),
                                        std::chrono::day(static_cast<unsigned>(number(8, 2))));
  if (!day.ok()) return std::nullopt;
  return Instant(std::chrono::sys_days(day) + std::chrono::days(1));
}

}  // namespace howdah::compat::tony::history
