#include "howdah/base/bytes.h"

#include <charconv>
#include <cstdio>
#include <limits>

namespace howdah {
namespace {

struct ByteUnit {
  std::string_view name;
  int64_t bytes;
};
constexpr ByteUnit kBinary[] = {
    {"TiB", int64_t{1} << 40}, {"GiB", int64_t{1} << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}};
constexpr ByteUnit kOther[] = {{"TB", 1'000'000'000'000}, {"GB", 1'000'000'000},   {"MB", 1'000'000}, {"KB", 1'000},
                               {"t", int64_t{1} << 40},   {"g", int64_t{1} << 30}, {"m", 1 << 20},    {"k", 1 << 10}};

}  // namespace

std::optional<int64_t> ParseBytes(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || text.empty() || text.front() == '-') return std::nullopt;
  const std::string_view unit = text.substr(static_cast<size_t>(end - text.data()));
  const auto find = [&](const auto& units) -> std::optional<int64_t> {
    for (const ByteUnit& u : units) {
      if (u.name != unit) continue;
      if (number > std::numeric_limits<int64_t>::max() / u.bytes) return std::nullopt;
      return number * u.bytes;
    }
    return std::nullopt;
  };
  if (const auto bytes = find(kBinary)) return bytes;
  return find(kOther);
}

std::string BytesToText(int64_t bytes) {
  for (const ByteUnit& u : kBinary) {
    if (bytes != 0 && bytes % u.bytes == 0) return std::to_string(bytes / u.bytes) + std::string(u.name);
  }
  return std::to_string((bytes + 1023) / 1024) + "KiB";
}

std::string FormatBytes(int64_t bytes) {
  for (const ByteUnit& u : kBinary) {
    if (bytes < u.bytes) continue;
    char text[32];
    const double value = static_cast<double>(bytes) / static_cast<double>(u.bytes);
    const bool whole = bytes % u.bytes == 0 || value >= 100;
    std::snprintf(text, sizeof text, whole ? "%.0f %s" : "%.1f %s", value, u.name.data());
    return text;
  }
  return std::to_string(bytes) + " B";
}

}  // namespace howdah
