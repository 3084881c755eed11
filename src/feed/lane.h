// The ordered rows of one reader in one pass. See ledger.h, "Terms".
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "howdah/feed/action.h"
#include "howdah/feed/row_ranges.h"
#include "howdah/feed/shuffle.h"

namespace howdah::feed {

// Positions and sums of bytes are at most this, so their sums do not overflow.
inline constexpr int64_t kMostPositions = int64_t{1} << 60;

// Consecutive rows of one partition at consecutive positions. Each row counts with the average size of the segment, so
// rows in memory and rows on disk are never in the same segment.
struct Segment {
  int64_t at = 0;
  PartitionId partition = 0;
  Rows rows;
  int64_t bytes = 0;
  int64_t bytes_at = 0;  // bytes of all rows before the segment
  bool repeat = false;   // the rows occur a second time in this pass

  int64_t end() const { return at + rows.count(); }
  // The part at the positions from <= position < to, which overlaps the segment.
  Segment Part(int64_t from, int64_t to) const;

  template <typename Codec, typename Self>
  static void Fields(Codec& codec, Self& self) {
    codec(self.at, self.partition, self.rows, self.bytes, self.bytes_at, self.repeat);
  }
};

class Lane {
 public:
  using Visit = std::function<void(const Segment&)>;

  // Positions below base() were settled: the lane no longer knows their rows.
  int64_t base() const { return base_; }
  int64_t end() const { return end_; }
  // The end of the last window that was cut.
  int64_t cut() const { return cuts_.empty() ? base_ : cuts_.back(); }

  // Adds rows at the end; `at` and `bytes_at` of the segment are ignored. Returns their position.
  int64_t Append(Segment segment);
  // Removes the rows at `at` and after it, and returns them in order.
  std::vector<Segment> Truncate(int64_t at);
  // Ends a window at `at`, which is not less than cut().
  void Cut(int64_t at);
  // Visits the windows that were cut, in order.
  void EachWindow(const std::function<void(Rows)>& visit) const;

  // Visits the parts at from <= position < to, in order of position.
  void Each(int64_t from, int64_t to, const Visit& visit) const;
  // Visits the first `rows` rows in the order in which they are handed out, without settled ones. order: identifies the
  // windows of a shuffled feed; nullptr if the feed is not shuffled.
  void EachHandedOut(int64_t rows, const Window* order, const Visit& visit) const;
  // The largest position up to which the lane may be settled, when `rows` rows are handed out.
  int64_t SettleLimit(int64_t rows, bool shuffled) const;
  // Forgets the rows before `at`, after visiting them.
  void Settle(int64_t at, const Visit& visit);

  // Where the given rows of a partition are.
  std::vector<AcceptRows::Placed> Find(PartitionId partition, Rows rows) const;
  // The bytes of all rows from `at` on.
  int64_t BytesFrom(int64_t at) const;
  bool valid() const;

  template <typename Codec, typename Self>
  static void Fields(Codec& codec, Self& self) {
    codec(self.base_, self.end_, self.bytes_end_, self.segments_, self.cuts_);
  }

 private:
  std::vector<Segment>::const_iterator FirstAfter(int64_t at) const;

  int64_t base_ = 0, end_ = 0;
  int64_t bytes_end_ = 0;  // bytes of all rows, including settled ones
  std::vector<Segment> segments_;
  std::vector<int64_t> cuts_;  // ends of windows, ascending, each > base_
};

}  // namespace howdah::feed
