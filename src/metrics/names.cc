#include "names.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "howdah/base/text.h"

namespace howdah::metrics {
namespace {

constexpr char kOtherReason[] = "it cannot be read";

bool IsValid(std::string_view name) {
  return !name.empty() && name.size() <= kNameMax && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return c > ' ' && c < 0x7f && c != ',' && c != '"';
  });
}

}  // namespace

std::optional<uint16_t> Names::Add(const Series& series, int reported_limit) {
  const auto known = series_ids_.find(series.name);
  if (known == series_ids_.end()) {
    if (!IsValid(series.name) || (IsReported(series.name) && reported_ >= reported_limit)) return std::nullopt;
  } else {
    for (const uint16_t id : known->second) {
      if (series_[id] == series) return id;
    }
  }
  if (series.unit.size() > kUnitMax || series_.size() == kSeriesMax) return std::nullopt;
  Series added = {series.name, Shown(series.unit), series.scope};
  if (added != series) return Add(added, reported_limit);
  if (known == series_ids_.end() && IsReported(series.name)) ++reported_;
  const auto id = static_cast<uint16_t>(series_.size());
  series_.push_back(std::move(added));
  series_ids_[series.name].push_back(id);
  return id;
}

std::optional<uint16_t> Names::FindRole(const std::string& role) const {
  const auto found = role_ids_.find(role);
  if (found == role_ids_.end()) return std::nullopt;
  return found->second;
}

std::optional<uint16_t> Names::AddRole(const std::string& role) {
  if (const auto found = FindRole(role)) return found;
  if (role.empty() || role.size() > kRoleMax || roles_.size() == kRolesMax) return std::nullopt;
  const auto id = static_cast<uint16_t>(roles_.size());
  roles_.push_back(role);
  role_ids_[role] = id;
  return id;
}

uint8_t Names::AddReason(const std::string& why) {
  const auto found = reason_ids_.find(why);
  if (found != reason_ids_.end()) return found->second;
  const std::string text = reasons_.size() + 1 < kReasonsMax ? OneLine(why, kReasonMax) : kOtherReason;
  const auto known = reason_ids_.find(text);
  if (known != reason_ids_.end()) return known->second;
  const auto id = static_cast<uint8_t>(reasons_.size());
  reasons_.push_back(text);
  reason_ids_[text] = id;
  return id;
}

uint8_t Names::AddCapacity(double capacity) {
  const auto found = std::find(capacities_.begin() + 1, capacities_.end(), capacity);
  if (found != capacities_.end()) return static_cast<uint8_t>(found - capacities_.begin());
  if (std::isnan(capacity) || capacities_.size() == kCapacitiesMax) return 0;
  capacities_.push_back(capacity);
  return static_cast<uint8_t>(capacities_.size() - 1);
}

int64_t Names::memory() const {
  constexpr int64_t kPerEntry = 256;  // the average size of both copies of a text and the node of the map
  return static_cast<int64_t>(series_.size() + roles_.size() + reasons_.size()) * kPerEntry;
}

}  // namespace howdah::metrics
