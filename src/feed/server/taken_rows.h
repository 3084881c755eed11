// Rows that readers of this executor take over from other readers.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "feed_blocks.h"
#include "howdah/feed/action.h"
#include "howdah/feed/receiver.h"
#include "local_reader.h"
#include "row_moves.h"

namespace howdah::feed::server {

using LocalReaders = std::map<int, std::unique_ptr<LocalReader>>;  // by number

// Finds the rows of a move here, or stores those that arrive, and gives them to the reader. The functions are those of
// RowMoves::Ports.
//
// Used on the owner's loop only.
class TakenRows {
 public:
  // The arguments must live longer than this object. owner: applies the effects.
  TakenRows(const LocalReaders& readers, FeedBlocks& blocks, LocalReader::Owner& owner)
      : readers_(readers), blocks_(blocks), owner_(owner) {}

  bool Wanted(const Reassign& move) const { return Wanting(move) != nullptr; }
  bool TakeHere(const Reassign& move);
  // As the port; an error says why the block cannot be stored.
  Result<std::optional<BlockId>> Store(const Reassign& move, const std::string& schema, const ArrowBlock& block);
  void Arrived(const Reassign& move, const std::vector<BlockId>& arrived);
  void Drop(const Reassign& move, const std::vector<BlockId>& arrived);

 private:
  // The reader that still needs the rows; nullptr if it does not, or is gone.
  LocalReader* Wanting(const Reassign& move) const;

  const LocalReaders& readers_;
  FeedBlocks& blocks_;
  LocalReader::Owner& owner_;
};

}  // namespace howdah::feed::server
