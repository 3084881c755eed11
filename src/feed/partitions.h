// The account of all rows of one pass: which rows are accepted and which are committed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "howdah/feed/row_ranges.h"

namespace howdah::feed {

// The findings of an attempt that read a whole partition.
struct PartitionEnd {
  int64_t rows = 0;
  std::optional<uint64_t> digest;

  template <typename Codec, typename Self>
  static void Fields(Codec& codec, Self& self) {
    codec(self.rows, self.digest);
  }
};

struct Partition {
  RowRanges accepted;  // includes committed rows
  RowRanges committed;
  std::optional<PartitionEnd> end;
  // The sum of the digests of the accepted rows; nullopt if the digest of some row is not known.
  std::optional<uint64_t> sum = 0;

  bool complete() const { return end && IsCompleteWith(*end); }
  bool IsCompleteWith(const PartitionEnd& at) const {
    return accepted.prefix() == at.rows && accepted.end() == at.rows;
  }
  // Whether the rows differ from those that the attempt with this end has read.
  bool DiffersFrom(const PartitionEnd& at) const {
    return IsCompleteWith(at) && at.digest && sum && *sum != *at.digest;
  }

  template <typename Codec, typename Self>
  static void Fields(Codec& codec, Self& self) {
    codec(self.accepted, self.committed, self.end, self.sum);
  }
};

// Partitions whose rows are all committed are only kept as numbers, so an endless stream needs no memory for them.
class Partitions {
 public:
  // Accepts the rows that are missing, and returns them.
  std::vector<Rows> Accept(PartitionId id, Rows rows, std::optional<uint64_t> digest);
  // The rows become missing, unless they are committed.
  void Release(PartitionId id, Rows rows);
  void Commit(PartitionId id, Rows rows);
  // Every row that is not committed becomes missing.
  void RollBack();
  // Sets or replaces the end of a partition.
  void SetEnd(PartitionId id, const PartitionEnd& end);
  // The missing rows from `row` on do not exist: an attempt has found the end of the partition there. If another end is
  // known, it remains.
  void StrikeFrom(PartitionId id, int64_t row);

  // nullptr if no row of it is accepted and its end is not known, and if all rows are committed.
  const Partition* Find(PartitionId id) const;
  bool IsCommitted(PartitionId id) const;
  bool IsComplete(PartitionId id) const;
  // The number of partitions of which no row is missing.
  int64_t complete() const { return complete_; }
  bool nothing_committed() const { return !committed_any_; }
  // The last range ends at kMostRows if the end is not known.
  std::vector<Rows> Missing(PartitionId id) const;
  // Those of the first `count` partitions of which rows are missing, as ranges of their numbers.
  std::vector<Rows> Incomplete(PartitionId count) const;
  // One more than the largest partition of which something is known; at least 0.
  PartitionId end() const;
  bool valid() const;

  template <typename Codec, typename Self>
  static void Fields(Codec& codec, Self& self) {
    codec(self.open_, self.committed_, self.committed_any_, self.complete_);
  }

 private:
  // Calls change(partition), and keeps the count of complete partitions.
  template <typename Change>
  void Update(PartitionId id, const Change& change);

  std::map<PartitionId, Partition> open_;
  RowRanges committed_;  // numbers of partitions
  bool committed_any_ = false;
  int64_t complete_ = 0;
};

}  // namespace howdah::feed
