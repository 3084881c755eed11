// The tables of a job's texts and constants: series, roles, reasons for which series are absent, and capacities. Tracks
// refer to them by number.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "howdah/metrics/table.h"

namespace howdah::metrics {

// A series name is a short text without control characters.
inline constexpr size_t kNameMax = 96, kUnitMax = 24, kReasonMax = 200, kRoleMax = 128;
inline constexpr size_t kSeriesMax = 1024;     // different series per job
inline constexpr size_t kReasonsMax = 256;     // different reasons per job; Track::reason has 8 bits
inline constexpr size_t kCapacitiesMax = 256;  // different capacities per job; Track::capacity has 8 bits
inline constexpr size_t kRolesMax = 10'000;    // different roles per job

class Names {
 public:
  // Returns the number of a series, and adds the series if it is new. Returns nullopt if the name is invalid, or if
  // the job has too many series. reported_limit: the greatest number of different names of "metric.NAME".
  std::optional<uint16_t> Add(const Series& series, int reported_limit);
  std::optional<uint16_t> AddRole(const std::string& role);
  std::optional<uint16_t> FindRole(const std::string& role) const;
  // Returns 0 for "". If there are too many reasons, returns the number of a general one.
  uint8_t AddReason(const std::string& why);

  // Returns 0 for NaN, and if there are too many capacities.
  uint8_t AddCapacity(double capacity);

  const std::vector<Series>& series() const { return series_; }
  const std::vector<std::string>& roles() const { return roles_; }
  const std::vector<std::string>& reasons() const { return reasons_; }   // the first is ""
  const std::vector<double>& capacities() const { return capacities_; }  // the first is NaN: unknown
  int64_t memory() const;

 private:
  std::vector<Series> series_;
  std::unordered_map<std::string, std::vector<uint16_t>> series_ids_;  // the ids of all series with the same name
  int reported_ = 0;                                                   // number of different names of "metric.NAME"
  std::vector<std::string> roles_;
  std::map<std::string, uint16_t, std::less<>> role_ids_;
  std::vector<std::string> reasons_ = {""};
  std::map<std::string, uint8_t, std::less<>> reason_ids_ = {{"", 0}};
  std::vector<double> capacities_ = {std::numeric_limits<double>::quiet_NaN()};
};

}  // namespace howdah::metrics
