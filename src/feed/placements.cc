#include "placements.h"

#include <algorithm>
#include <iterator>

namespace howdah::feed {

Placement Placement::Part(int64_t from, int64_t to) const {
  from = std::max(from, at);
  to = std::min(to, end());
  return {from, block, partition, {rows.from + (from - at), rows.from + (to - at)}, repeat};
}

// The first placement that ends after `at`.
Placements::ByPosition::const_iterator Placements::FirstAfter(int64_t at) const {
  auto after = placed_.upper_bound(at);
  if (after != placed_.begin() && std::prev(after)->second.end() > at) --after;
  return after;
}

std::vector<Placement> Placements::Fill(const Placement& placement) {
  std::vector<Placement> added;
  int64_t from = std::max(placement.at, base_);
  for (auto next = FirstAfter(from); from < placement.end(); ++next) {
    const int64_t to = next == placed_.end() ? placement.end() : std::min(next->first, placement.end());
    if (from < to) added.push_back(placement.Part(from, to));
    if (next == placed_.end()) break;
    from = next->second.end();
  }
  for (const Placement& part : added) placed_.emplace(part.at, part);
  return added;
}

bool Placements::Covers(int64_t from, int64_t to) const {
  for (auto at = FirstAfter(from); from < to; ++at) {
    if (at == placed_.end() || at->first > from) return false;
    from = at->second.end();
  }
  return true;
}

std::vector<Placement> Placements::Between(int64_t from, int64_t to) const {
  std::vector<Placement> parts;
  for (auto at = FirstAfter(from); at != placed_.end() && at->first < to; ++at) {
    parts.push_back(at->second.Part(from, to));
  }
  return parts;
}

RowRanges Placements::RowsOf(PartitionId partition) const {
  RowRanges rows;
  for (const auto& [at, placement] : placed_) {
    if (placement.partition == partition) rows.Add(placement.rows);
  }
  return rows;
}

std::vector<Placement> Placements::Trim(int64_t to) {
  if (to <= base_) return {};
  std::vector<Placement> removed = Between(base_, to);
  while (!placed_.empty() && placed_.begin()->first < to) {
    const Placement first = placed_.begin()->second;
    placed_.erase(placed_.begin());
    if (first.end() > to) placed_.emplace(to, first.Part(to, first.end()));
  }
  base_ = to;
  return removed;
}

}  // namespace howdah::feed
