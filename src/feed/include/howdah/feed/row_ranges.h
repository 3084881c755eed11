// Sets of row numbers of one partition, as sorted ranges.
#pragma once

#include <cstdint>
#include <vector>

namespace howdah::feed {

// The number of a partition of the source, from 0.
using PartitionId = int64_t;
inline constexpr PartitionId kMostPartitions = PartitionId{1} << 31;

// The rows from <= row < to of one partition.
struct Rows {
  int64_t from = 0;
  int64_t to = 0;
  int64_t count() const { return to - from; }
  friend bool operator==(const Rows&, const Rows&) = default;
};

// The end of a range that has no known end. No partition has more rows.
inline constexpr int64_t kMostRows = int64_t{1} << 40;

// A set of rows. Ranges that touch are merged, so a set that was filled in order is one range. Empty ranges have no
// effect.
class RowRanges {
 public:
  void Add(Rows rows);
  void Add(const RowRanges& other);
  void Remove(Rows rows);

  bool empty() const { return ranges_.empty(); }
  // The number of rows in the set.
  int64_t count() const;
  // The end of the last range; 0 if the set is empty.
  int64_t end() const { return ranges_.empty() ? 0 : ranges_.back().to; }
  // The number of rows before the first row that is missing.
  int64_t prefix() const { return !ranges_.empty() && ranges_.front().from == 0 ? ranges_.front().to : 0; }
  // The parts of `within` that are in the set, and those that are not.
  std::vector<Rows> Common(Rows within) const;
  std::vector<Rows> Missing(Rows within) const;
  const std::vector<Rows>& ranges() const { return ranges_; }

  // Whether the ranges are sorted, apart from each other, not empty, and within 0 and kMostRows. Always true, except
  // for a set that was decoded from damaged bytes.
  bool valid() const;

  template <typename Codec, typename Self>
  static void Fields(Codec& codec, Self& self) {
    codec(self.ranges_);
  }

  friend bool operator==(const RowRanges&, const RowRanges&) = default;

 private:
  std::vector<Rows> ranges_;
};

}  // namespace howdah::feed
