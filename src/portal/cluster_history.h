// The use of a backend over the last 24 hours, as this portal has recorded it: one point per minute.
//
// The file has one slot for each minute of a day. So it never grows, several portals can write it, and damage costs
// only the points that it hits. It has no other reader than the portal of this machine.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "howdah/backend/cluster_info.h"
#include "howdah/base/time.h"
#include "howdah/os/files/fd.h"

namespace howdah::portal {

// The figures of a point, in the order of the file. Append new ones, and never change the meaning of one.
inline constexpr std::array<std::string_view, 10> kClusterFigures = {
    "nodes",        "usable_nodes", "memory_used", "memory_total",       "vcores_used",
    "vcores_total", "gpus_used",    "gpus_total",  "pending_containers", "pending_memory"};

struct ClusterPoint {
  int64_t minute = 0;  // since 1970
  // By the index in kClusterFigures; nullopt: not known.
  std::array<std::optional<int64_t>, kClusterFigures.size()> values;
  friend bool operator==(const ClusterPoint&, const ClusterPoint&) = default;
};

int64_t MinuteOf(Instant at);
// The amounts are the sums over all nodes that are offered to jobs. A sum is unknown if a part of it is. Pure.
struct ClusterTotals {
  int64_t nodes = 0, usable_nodes = 0;
  backend::Amounts used, total;
};
ClusterTotals TotalsOf(const backend::ClusterInfo& info);
ClusterPoint PointOf(const backend::ClusterInfo& info, Instant at);

// One slot, with a checksum. Pure.
inline constexpr size_t kClusterSlotBytes = 8 + 8 * kClusterFigures.size() + 4;
std::string EncodePoint(const ClusterPoint& point);
std::optional<ClusterPoint> DecodePoint(std::string_view slot);  // nullopt: empty or damaged

// Single-threaded.
class ClusterHistory {
 public:
  static constexpr int64_t kMinutes = 24 * 60;

  // Reads the points of the last 24 hours. A file that cannot be read or written costs only the history.
  ClusterHistory(const std::string& path, Instant now);

  // Whether the minute of this time has no point yet.
  bool Lacks(Instant at) const { return !points_.contains(MinuteOf(at)); }
  // Adds a point to the history and to the file, and drops those that are too old.
  void Add(const ClusterPoint& point);

  const std::map<int64_t, ClusterPoint>& points() const { return points_; }  // by minute
  const std::string& problem() const { return problem_; }                    // of the file; empty: none

 private:
  os::files::Fd file_;
  std::map<int64_t, ClusterPoint> points_;
  std::string problem_;
};

}  // namespace howdah::portal
