#include "howdah/feed/row_ranges.h"

#include <algorithm>

namespace howdah::feed {
namespace {

// The first range that ends at or after `row`.
template <typename Ranges>
auto FirstEndingAt(Ranges& ranges, int64_t row) {
  return std::lower_bound(ranges.begin(), ranges.end(), row, [](const Rows& r, int64_t at) { return r.to < at; });
}

}  // namespace

void RowRanges::Add(Rows rows) {
  if (rows.from >= rows.to) return;
  const auto first = FirstEndingAt(ranges_, rows.from);
  auto last = first;
  for (; last != ranges_.end() && last->from <= rows.to; ++last) {
    rows.from = std::min(rows.from, last->from);
    rows.to = std::max(rows.to, last->to);
  }
  if (first == last) {
    ranges_.insert(first, rows);
    return;
  }
  *first = rows;
  ranges_.erase(first + 1, last);
}

void RowRanges::Add(const RowRanges& other) {
  for (const Rows& rows : other.ranges_) Add(rows);
}

void RowRanges::Remove(Rows rows) {
  if (rows.from >= rows.to) return;
  auto at = FirstEndingAt(ranges_, rows.from + 1);
  if (at != ranges_.end() && at->from < rows.from && at->to > rows.to) {
    const Rows rest{rows.to, at->to};
    at->to = rows.from;
    ranges_.insert(at + 1, rest);
    return;
  }
  if (at != ranges_.end() && at->from < rows.from) (at++)->to = rows.from;
  auto last = at;
  while (last != ranges_.end() && last->to <= rows.to) ++last;
  if (last != ranges_.end() && last->from < rows.to) last->from = rows.to;
  ranges_.erase(at, last);
}

int64_t RowRanges::count() const {
  int64_t count = 0;
  for (const Rows& rows : ranges_) count += rows.count();
  return count;
}

std::vector<Rows> RowRanges::Common(Rows within) const {
  std::vector<Rows> common;
  for (auto at = FirstEndingAt(ranges_, within.from + 1); at != ranges_.end() && at->from < within.to; ++at) {
    common.push_back({std::max(at->from, within.from), std::min(at->to, within.to)});
  }
  return common;
}

std::vector<Rows> RowRanges::Missing(Rows within) const {
  std::vector<Rows> missing;
  for (const Rows& rows : Common(within)) {
    if (within.from < rows.from) missing.push_back({within.from, rows.from});
    within.from = rows.to;
  }
  if (within.from < within.to) missing.push_back(within);
  return missing;
}

bool RowRanges::valid() const {
  int64_t end = -1;
  for (const Rows& rows : ranges_) {
    if (rows.from <= end || rows.from < 0 || rows.to <= rows.from || rows.to > kMostRows) return false;
    end = rows.to;
  }
  return true;
}

}  // namespace howdah::feed
