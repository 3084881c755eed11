#include "values.h"

#include <climits>

#include "howdah/base/number.h"

namespace howdah::compat::tony::config {
namespace {

constexpr int64_t kMebibyte = int64_t{1} << 20;

}  // namespace

std::string Values::Text(const std::string& key, const std::string& fallback) const {
  return configuration_.Text(key, fallback);
}

std::optional<std::vector<std::string>> Values::List(const std::string& key) const {
  if (configuration_.Find(key) == nullptr) return std::nullopt;
  return configuration_.List(key);
}

void Values::Fail(const std::string& key, const std::string& text) {
  Fail(configuration_.Where(key) + " is '" + Text(key) + "': " + text);
}

int Values::Number(const std::string& key, int fallback) {
  if (!IsSet(key)) return fallback;
  const auto value = ParseNumber<int64_t>(Text(key));
  if (value && *value >= INT_MIN && *value <= INT_MAX) return static_cast<int>(*value);
  Fail(key, "write a whole number");
  return fallback;
}

bool Values::Bool(const std::string& key, bool fallback) {
  const Result<bool> value = configuration_.Bool(key, fallback);
  if (value.ok()) return *value;
  Fail(value.error().message);
  return fallback;
}

std::optional<Duration> Values::Limit(const std::string& key, Duration unit) {
  constexpr Duration kMost = std::chrono::days(3650);
  const int64_t count = Number(key, 0);
  if (count <= 0) return std::nullopt;
  return count > kMost / unit ? kMost : unit * count;
}

int64_t Values::Memory(const std::string& key, int64_t fallback) {
  if (!IsSet(key)) return fallback;
  std::string text = Text(key);
  int64_t unit = kMebibyte;
  const char last = text.back();
  if (last == 'g' || last == 'G') unit = kMebibyte << 10;
  if (last == 'g' || last == 'G' || last == 'm' || last == 'M') text.pop_back();
  const auto amount = ParseNumber<int64_t>(text);
  if (amount && *amount > 0 && *amount <= INT64_MAX / unit) return *amount * unit;
  Fail(key, "write a whole number with g or m, for example 2g; without a letter it means MB");
  return fallback;
}

}  // namespace howdah::compat::tony::config
