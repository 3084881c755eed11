// The blocks of a receiver, and the rows of them that are kept for later. See receiver.h, "Keeping rows".
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "howdah/feed/receiver.h"
#include "howdah/feed/row_ranges.h"

namespace howdah::feed {

// Rows of one block.
struct Piece {
  BlockId block = 0;
  PartitionId partition = 0;
  Rows rows;
};

// A block has two kinds of users: rows in use (an offer, or positions that are not returned) are counted; kept rows are
// known by their numbers. A block without users is unused.
class Shelf {
 public:
  void Add(const KeptBlock& block);
  // `rows` rows of the block are in use, and no longer. Release of an unknown block has no effect.
  void Use(BlockId id, int64_t rows);
  void Release(BlockId id, int64_t rows);
  // Keeps rows of the block, except those that are kept in another block.
  void Keep(BlockId id, Rows rows);
  void Drop(int64_t tag, PartitionId partition, Rows rows);
  void DropTagsBelow(int64_t tag);
  // The block is gone.
  void Forget(BlockId id);
  void MoveToDisk(BlockId id);

  // The rows that are kept, by their numbers.
  std::vector<Piece> Find(int64_t tag, PartitionId partition, Rows rows) const;
  // All kept rows of the tag, in the order in which they were kept.
  std::vector<Piece> All(int64_t tag) const;
  // nullptr if it is unknown.
  const KeptBlock* Get(BlockId id) const;
  bool InUse(BlockId id) const;
  std::vector<KeptBlock> blocks() const;
  // The bytes of a part of a block; 0 if it is on disk.
  int64_t BytesOf(const Piece& piece) const;
  // Removes the unused blocks, and returns them.
  std::vector<BlockId> TakeUnused();

 private:
  struct Entry {
    KeptBlock block;
    int64_t used = 0, kept = 0;  // rows
  };
  struct Kept {
    int64_t to = 0;
    BlockId block = 0;
    int64_t order = 0;
  };
  // By the first row. Ranges do not overlap.
  using Ranges = std::map<int64_t, Kept>;

  static Ranges::const_iterator FirstIn(const Ranges& ranges, int64_t row);
  void NoteKept(BlockId id, int64_t rows);

  std::map<BlockId, Entry> blocks_;
  std::map<std::pair<int64_t, PartitionId>, Ranges> kept_;
  std::set<BlockId> perhaps_unused_;
  int64_t order_ = 0;
};

}  // namespace howdah::feed
