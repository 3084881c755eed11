// The whole state of a receiver.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "howdah/feed/receiver.h"
#include "placements.h"
#include "shelf.h"

namespace howdah::feed {

// The rows of a window in the order in which they are handed out, while the reader fetches them.
struct OpenWindow {
  Rows positions;
  std::vector<Slice> slices;
  size_t next = 0;   // the slice that is fetched next
  int64_t done = 0;  // rows of that slice that were fetched
};

// One pass, as the orders of the ledger and the requests of the program have made it.
struct ReadPass {
  bool opened = false;  // OpenPass was carried out
  Placements placed;
  std::map<int64_t, int64_t> windows;  // from, to: of a shuffled feed, not committed
  std::map<int64_t, Reassign> moves;   // by position: rows that are not here yet
  std::map<int64_t, int64_t> moved;    // position and rows of moves that are done, and perhaps not known to the ledger
  int64_t sealed = 0;
  int64_t short_to = -1;  // the last batch may end here
  int64_t batch = 0;      // 0: the program has not begun to read the pass
  int64_t fetched = 0, returned = 0;
  int64_t waited_at = -1;  // rows returned when the reader reported that it waits
  std::optional<ClosePass> closed;
  std::optional<OpenWindow> window;
  // With remainder `repeat`: the rows of the first batch that are no longer in `placed`, because they are committed.
  std::map<PartitionId, RowRanges> first_batch;
  std::deque<Slice> unreturned;  // fetched, in order
  // Rows in use: those with a position that are not returned, and until the pass is over those that other readers may
  // fetch, and those that may be repeated.
  std::map<BlockId, int64_t> used;
};

// Rows that were offered to the ledger, and that it has not answered yet.
struct Offer {
  RowsReceived event;
  std::vector<Piece> pieces;
  bool stored = false;  // the rows were kept before; otherwise a source has sent them
  int64_t order = 0;
};
// Pass, partition, rows.
using OfferKey = std::tuple<int64_t, PartitionId, int64_t, int64_t>;

struct ReceiverState {
  Options options;
  int rank = 0;
  int64_t newest = -1;  // incarnation
  Shelf shelf;
  std::optional<FailFeed> failed;  // by the ledger

  // --- of the incarnation ---

  std::optional<ReaderId> reader;  // nullopt: it has not begun, or its process has ended
  std::map<int64_t, ReadPass> passes;
  int64_t first_pass = 0;  // earlier passes were read by all readers, and are forgotten
  std::map<OfferKey, Offer> offers;
  int64_t offered = 0;        // offers so far
  int64_t offered_bytes = 0;  // of all offers without an answer
  int64_t received = 0, granted = 0;
  std::vector<StepReported> steps;  // since the last commit
  int64_t checkpointed = -1;
  std::optional<CommitCalled> commit;  // the newest
  std::optional<FailFeed> broken;      // a row that the reader needs is gone
  bool ended = false;

  int64_t TagOf(int64_t pass) const { return options.recompute ? pass : 0; }
  // nullptr if no order of the pass has arrived, or if it is over.
  ReadPass* Find(int64_t pass) {
    const auto at = passes.find(pass);
    return at == passes.end() ? nullptr : &at->second;
  }
};

// Carries out an order of the ledger.
void Obey(ReceiverState& state, const Action& order, Receiver::Effects& effects);
// Forgets the incarnation. Its orders have no effect from now on. next: the earliest incarnation that may follow.
void EndIncarnation(ReceiverState& state, int64_t next);
// Gives the rows of the move their positions, if all of them are kept or in `arrived`. Returns whether it did.
bool TryMove(ReceiverState& state, const Reassign& move, const std::vector<Piece>& arrived, Receiver::Effects& effects);
// Rows of the partition have arrived: they may complete moves, also of other passes.
void RetryMoves(ReceiverState& state, PartitionId partition, Receiver::Effects& effects);

// The rows of a block are in use until they are returned, or the pass is over.
void UseInPass(ReceiverState& state, ReadPass& pass, BlockId block, int64_t rows);
// With remainder `repeat`, the rows of the first batch are in use until the pass is over.
void UseFirstBatch(ReceiverState& state, ReadPass& pass, const Placement& placement);

// The next rows of the program, as Receiver::Fetch.
Receiver::Next FetchRows(ReceiverState& state, const Receiver::Wanted& wanted, Receiver::Effects& effects);
void ReturnRows(ReceiverState& state, int64_t pass, int64_t rows, Receiver::Effects& effects);

}  // namespace howdah::feed
