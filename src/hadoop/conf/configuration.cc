#include "howdah/hadoop/conf/configuration.h"

#include <algorithm>
#include <cctype>
#include <limits>

#include "defaults.h"
#include "howdah/base/number.h"
#include "variables.h"

namespace howdah::hadoop::conf {
namespace {

constexpr std::string_view kSpace = " \t\r\n\f\v";

std::string Trim(std::string_view text) {
  const size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return "";
  return std::string(text.substr(begin, text.find_last_not_of(kSpace) - begin + 1));
}

std::string Lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// Returns the number that the text denotes in this base, or nullopt if any part of the text is not a digit.
std::optional<int64_t> Digits(std::string_view text, int base) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  return ParseNumber<int64_t>(text, base);
}

std::optional<int64_t> Times(int64_t number, int64_t factor) {
  int64_t product = 0;
  if (__builtin_mul_overflow(number, factor, &product)) return std::nullopt;
  return product;
}

// Accepts the formats of Configuration.getLongBytes: "64", "0x40", "-1", "64k", "128M".
std::optional<int64_t> ParseAmount(const std::string& text) {
  const std::string lower = Lower(text);
  const bool negative = lower.starts_with('-');
  const std::string_view rest = std::string_view(lower).substr(negative ? 1 : 0);
  if (rest.starts_with("0x")) {
    if (rest.starts_with("0x-")) return std::nullopt;
    const auto number = Digits(rest.substr(2), 16);
    return number && negative ? Times(*number, -1) : number;
  }
  const size_t power = lower.empty() ? std::string::npos : std::string_view("kmgtpe").find(lower.back());
  if (power == std::string::npos) return Digits(lower, 10);
  const auto number = Digits(std::string_view(lower).substr(0, lower.size() - 1), 10);
  return number ? Times(*number, int64_t{1} << (10 * (power + 1))) : std::nullopt;
}

// Accepts the formats of Configuration.getTimeDuration. A number without a unit is in milliseconds.
std::optional<Duration> ParseTime(const std::string& text) {
  struct Unit {
    std::string_view name;
    int64_t nanoseconds;
  };
  constexpr int64_t kSecond = 1'000'000'000;
  constexpr Unit kUnits[] = {{"ns", 1},           {"us", 1'000},         {"ms", 1'000'000},      {"s", kSecond},
                             {"m", 60 * kSecond}, {"h", 3600 * kSecond}, {"d", 86'400 * kSecond}};
  const std::string lower = Lower(text);
  for (const Unit& unit : kUnits) {
    if (!lower.ends_with(unit.name)) continue;
    const auto number = Digits(std::string_view(lower).substr(0, lower.size() - unit.name.size()), 10);
    if (!number) return std::nullopt;
    if (unit.nanoseconds < 1000) return Duration(*number / 1000);
    const auto micros = Times(*number, unit.nanoseconds / 1000);
    return micros ? std::optional(Duration(*micros)) : std::nullopt;
  }
  const auto number = Digits(lower, 10);
  const auto micros = number ? Times(*number, 1000) : std::nullopt;
  return micros ? std::optional(Duration(*micros)) : std::nullopt;
}

}  // namespace

Configuration::Configuration(Environment environment) : environment_(std::move(environment)) {}

std::optional<std::string> Configuration::Untrimmed(const std::string& key) const {
  const auto raw = [this](const std::string& name) -> std::optional<std::string> {
    if (const Property* property = Find(name)) return property->raw;
    const auto fallback = DefaultOf(PresentName(name));
    return fallback ? std::optional<std::string>(*fallback) : std::nullopt;
  };
  const auto environment = [this](const std::string& name) -> std::optional<std::string> {
    return environment_.variable ? environment_.variable(name) : std::nullopt;
  };
  const auto variable = [&](const std::string& name) -> std::optional<std::string> {
    if (name == "user.name") return environment_.user_name;
    if (name == "user.home") return environment_.user_home;
    if (name == "java.io.tmpdir") return "/tmp";
    return raw(name);
  };
  const auto written = raw(key);
  if (!written) return std::nullopt;
  return Expand(*written, environment, variable);
}

std::optional<std::string> Configuration::Get(const std::string& key) const {
  std::string value = Trim(Untrimmed(key).value_or(""));
  if (value.empty()) return std::nullopt;
  return value;
}

std::string Configuration::Text(const std::string& key, const std::string& fallback) const {
  return Get(key).value_or(fallback);
}

Result<bool> Configuration::Bool(const std::string& key, bool fallback) const {
  const auto text = Get(key);
  if (!text) return fallback;
  const std::string lower = Lower(*text);
  if (lower == "true") return true;
  if (lower == "false") return false;
  return Error{ErrorCode::kUsage, Where(key) + " is '" + *text + "'; it must be true or false"};
}

Result<int64_t> Configuration::Number(const std::string& key, int64_t fallback) const {
  const auto text = Get(key);
  if (!text) return fallback;
  const auto number = ParseAmount(*text);
  if (number) return *number;
  return Error{ErrorCode::kUsage, Where(key) + " is '" + *text + "'; it must be a whole number such as 64 or 128m"};
}

Result<Duration> Configuration::Time(const std::string& key, Duration fallback) const {
  const auto text = Get(key);
  if (!text) return fallback;
  const auto time = ParseTime(*text);
  if (time) return *time;
  return Error{ErrorCode::kUsage, Where(key) + " is '" + *text + "'; it must be a time such as 500 (ms), 30s or 10m"};
}

std::vector<std::string> Configuration::List(const std::string& key) const {
  std::vector<std::string> items;
  const std::string text = Text(key);
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find_first_of(",\n", begin), text.size());
    std::string item = Trim(std::string_view(text).substr(begin, end - begin));
    if (!item.empty()) items.push_back(std::move(item));
    begin = end + 1;
  }
  return items;
}

std::string Configuration::Where(const std::string& key) const {
  const std::string present(PresentName(key));
  if (const Property* property = Find(key)) return present + " in " + property->origin;
  return present + (DefaultOf(present) ? " (a default of Hadoop)" : " (not set)");
}

const Property* Configuration::Find(const std::string& key) const {
  const auto found = properties_.find(std::string(PresentName(key)));
  return found == properties_.end() ? nullptr : &found->second;
}

void Configuration::Set(const std::string& key, std::string raw, const std::string& origin, bool is_final) {
  properties_[std::string(PresentName(key))] = {std::move(raw), origin, is_final};
}

}  // namespace howdah::hadoop::conf
