#include "howdah/hadoop/yarn/resource.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <utility>

#include "howdah/base/bytes.h"

namespace howdah::hadoop::yarn {
namespace {

constexpr int64_t kMiB = int64_t{1} << 20;

// The factor of a unit prefix as numerator and denominator. Returns nullopt if the prefix is unknown.
std::optional<std::pair<int64_t, int64_t>> Factor(std::string_view units) {
  static constexpr std::pair<std::string_view, std::pair<int64_t, int64_t>> kUnits[] = {
      {"", {1, 1}},
      {"p", {1, 1000000000000}},
      {"n", {1, 1000000000}},
      {"u", {1, 1000000}},
      {"m", {1, 1000}},
      {"k", {1000, 1}},
      {"M", {1000000, 1}},
      {"G", {1000000000, 1}},
      {"T", {1000000000000, 1}},
      {"P", {1000000000000000, 1}},
      {"Ki", {int64_t{1} << 10, 1}},
      {"Mi", {int64_t{1} << 20, 1}},
      {"Gi", {int64_t{1} << 30, 1}},
      {"Ti", {int64_t{1} << 40, 1}},
      {"Pi", {int64_t{1} << 50, 1}},
  };
  for (const auto& [name, factor] : kUnits)
    if (name == units) return factor;
  return std::nullopt;
}

// Converts a value to the unit without a prefix. On overflow, returns the largest number. That is harmless, because no
// node has that much, and because a limit of that size has no effect.
int64_t InUnitsOfOne(int64_t value, std::string_view units) {
  const auto factor = Factor(units);
  if (!factor) return value;
  int64_t product = 0;
  if (__builtin_mul_overflow(value, factor->first, &product)) return value < 0 ? INT64_MIN : INT64_MAX;
  return product / factor->second;
}

int64_t Sum(int64_t a, int64_t b) {
  int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

int64_t Difference(int64_t a, int64_t b) {
  int64_t difference = 0;
  return __builtin_sub_overflow(a, b, &difference) ? INT64_MAX : std::max<int64_t>(difference, 0);
}

}  // namespace

int64_t Resource::other(const std::string& type) const {
  const auto it = others.find(type);
  return it == others.end() ? 0 : it->second;
}

bool Resource::FitsIn(const Resource& in) const {
  return memory_mib <= in.memory_mib && vcores <= in.vcores &&
         std::all_of(others.begin(), others.end(), [&](const auto& o) { return o.second <= in.other(o.first); });
}

Resource& Resource::operator+=(const Resource& more) {
  memory_mib = Sum(memory_mib, more.memory_mib);
  vcores = Sum(vcores, more.vcores);
  for (const auto& [type, value] : more.others) others[type] = Sum(other(type), value);
  return *this;
}

Resource& Resource::operator-=(const Resource& less) {
  memory_mib = Difference(memory_mib, less.memory_mib);
  vcores = Difference(vcores, less.vcores);
  for (auto& [type, value] : others) value = Difference(value, less.other(type));
  std::erase_if(others, [](const auto& o) { return o.second == 0; });
  return *this;
}

Resource FromProto(const ::hadoop::yarn::ResourceProto& proto) {
  Resource resource;
  for (const auto& entry : proto.resource_value_map()) {
    const int64_t value = InUnitsOfOne(entry.value(), entry.units());
    if (entry.key() == "memory-mb") {
      resource.memory_mib = entry.units().empty() ? entry.value() : value / kMiB;
    } else if (entry.key() == "vcores") {
      resource.vcores = value;
    } else if (value != 0) {
      resource.others[entry.key()] = value;
    }
  }
  if (proto.has_memory()) resource.memory_mib = proto.memory();
  if (proto.has_virtual_cores()) resource.vcores = proto.virtual_cores();
  return resource;
}

::hadoop::yarn::ResourceProto ToProto(const Resource& resource) {
  ::hadoop::yarn::ResourceProto proto;
  proto.set_memory(resource.memory_mib);
  proto.set_virtual_cores(static_cast<int32_t>(std::clamp<int64_t>(resource.vcores, INT32_MIN, INT32_MAX)));
  for (const auto& [type, value] : resource.others) {
    auto* entry = proto.add_resource_value_map();
    entry->set_key(type);
    entry->set_value(value);
    entry->set_units("");
    entry->set_type(::hadoop::yarn::COUNTABLE);
  }
  return proto;
}

std::string ToText(const Resource& resource) {
  const int64_t mib = std::clamp<int64_t>(resource.memory_mib, 0, INT64_MAX / kMiB);
  std::string text =
      FormatBytes(mib * kMiB) + ", " + std::to_string(resource.vcores) + (resource.vcores == 1 ? " core" : " cores");
  for (const auto& [type, value] : resource.others) text += ", " + std::to_string(value) + " " + type;
  return text;
}

}  // namespace howdah::hadoop::yarn
