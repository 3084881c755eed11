// The rows that have a position with one reader in one pass: the receiver's view of a lane (ledger.h).
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "howdah/feed/receiver.h"
#include "howdah/feed/row_ranges.h"

namespace howdah::feed {

// Consecutive rows of one block at consecutive positions.
struct Placement {
  int64_t at = 0;
  BlockId block = 0;
  PartitionId partition = 0;
  Rows rows;
  bool repeat = false;  // the rows occur a second time in this pass

  int64_t end() const { return at + rows.count(); }
  // The part at the positions from <= position < to, which overlaps.
  Placement Part(int64_t from, int64_t to) const;
};

class Placements {
 public:
  // Positions below base() were committed, and are forgotten.
  int64_t base() const { return base_; }
  // Fills the positions that are free and not below base(). Returns what was added.
  std::vector<Placement> Fill(const Placement& placement);
  // Whether every position from <= position < to is filled.
  bool Covers(int64_t from, int64_t to) const;
  // The parts at these positions, in order.
  std::vector<Placement> Between(int64_t from, int64_t to) const;
  // The rows of a partition that have a position.
  RowRanges RowsOf(PartitionId partition) const;
  // Forgets the positions before `to`, and returns what was there.
  std::vector<Placement> Trim(int64_t to);

 private:
  using ByPosition = std::map<int64_t, Placement>;
  ByPosition::const_iterator FirstAfter(int64_t at) const;

  int64_t base_ = 0;
  ByPosition placed_;
};

}  // namespace howdah::feed
