// The executor's side of one reader of a feed: carries out the orders of the ledger (action.h), reports events
// (event.h), and decides which rows the program gets next. Pure: no clock, socket, file or data. It knows the data as
// blocks, which have numbers; the owner stores their bytes. It works with ranges of rows; only the windows of a
// shuffled feed need time for each row.
//
// INCARNATIONS. An order of a newer incarnation, of any type, ends the older one: its positions, counts and unanswered
// offers are forgotten. Rows that were kept stay, and are offered again. Orders of older incarnations have no effect.
//
// KEEPING ROWS. A block stays until Effects::dropped lists it. It is needed while an offer of its rows has no answer,
// while its rows have a position and are not returned, and while its rows may be wanted again: by a later pass (unless
// the source computes each pass again), by a later incarnation (until Committed covers them), by another reader, or to
// fill up the last batch (remainder `repeat`). Rows of a window are released together.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "howdah/feed/action.h"
#include "howdah/feed/event.h"
#include "howdah/feed/ledger.h"
#include "howdah/feed/row_ranges.h"

namespace howdah::feed {

// The number that the owner gave to a block. Each block of a receiver has another number; numbers are not used again.
using BlockId = int64_t;

// Rows of a block, counted from its first row.
struct Slice {
  BlockId block = 0;
  int64_t from = 0;
  int64_t rows = 0;
  bool repeat = false;  // the pass has filled up a batch with these rows, which it also has elsewhere
  friend bool operator==(const Slice&, const Slice&) = default;
};

// A block that the receiver needs.
struct KeptBlock {
  BlockId id = 0;
  int64_t tag = 0;  // the pass of its rows; 0 if the passes share their rows (Options::recompute is false)
  PartitionId partition = 0;
  Rows rows;
  int64_t bytes = 0;
  bool on_disk = false;
  std::optional<uint64_t> digest = {};  // as in RowsReceived
};

struct ReceiverState;

// Not thread-safe. All calls are legal in every state.
class Receiver {
 public:
  // The work of the owner after a call, in this order.
  struct Effects {
    std::vector<Event> events;  // send them to the AM, in this order
    // Tell their sources: the ledger has answered the offers.
    std::vector<BlockId> acknowledged;
    // No longer needed: free them as soon as no process holds views of them. If a source waits for the answer to a
    // block that is listed here and was never acknowledged, the block is refused.
    std::vector<BlockId> dropped;
    // Get these rows from the executor of the rank `from`, and call Fetched. Try again after a failure, while Wants.
    std::vector<Reassign> fetch;
    bool wake = false;               // a Fetch that waits may succeed now
    std::optional<FailFeed> failed;  // the feed has failed: tell all sources that send to this reader
  };
  // The batches that a reader wants.
  struct Wanted {
    int64_t pass = 0;
    int64_t rows = 0;      // of each batch
    int64_t batches = 1;   // at most so many
    bool waiting = false;  // the program has got all rows that were fetched, and waits for these
  };
  // The answer to a reader that wants batches.
  struct Next {
    enum class What {
      kBatch,   // `slices` are the rows of one or more batches, in their order
      kEnd,     // the pass has ended; `end` has the counts
      kWait,    // ask again after Effects::wake
      kFailed,  // the feed has failed; `failed` has the reason
    };
    What what = What::kWait;
    std::vector<Slice> slices = {};
    std::optional<ClosePass> end = {};
    std::optional<FailFeed> failed = {};
  };

  // The receiver of a rank. Orders of the incarnation `newest` and of older ones went to an earlier executor of this
  // rank, and have no effect; -1 if there was none.
  Receiver(const Options& options, int rank, int64_t newest = -1);
  ~Receiver();

  // --- the AM ---

  // An order of the ledger. Orders to other ranks and to sources have no effect.
  Effects Do(const Action& order);
  // The events to send after a lost connection, in the order that ReaderSynced demands; ReaderSynced is the first. No
  // event that was sent before may be delivered after them.
  std::vector<Event> Resync() const;

  // --- sources and other executors ---

  // A source has sent a block. The answer comes as Effects::acknowledged of a later call. nullopt: the reader has no
  // credit, the pass is not open, or the same rows have no answer yet: refuse the block.
  std::optional<Effects> Take(BlockId block, int64_t pass, PartitionId partition, Rows rows, int64_t bytes,
                              std::optional<uint64_t> digest);
  // Whether Take would accept a block of an open pass now.
  bool has_credit() const;
  // The rows of Effects::fetch have arrived in these blocks, which may contain further rows. `tag` is ignored. Blocks
  // that are not needed come back as dropped. If rows are missing, all blocks do, and the receiver still Wants the
  // move.
  Effects Fetched(const Reassign& move, const std::vector<KeptBlock>& blocks);
  // Whether the rows of a move are still missing.
  bool Wants(const Reassign& move) const;
  // Those of the given rows that are kept here, in their order. For other readers, which fetch them.
  std::vector<Slice> Find(int64_t pass, PartitionId partition, Rows rows) const;

  // --- the program ---

  // The next batches after those that were fetched before. All batches of a pass have the same size, except the last
  // one.
  std::pair<Next, Effects> Fetch(const Wanted& wanted);
  // The program has got this many rows of the pass, counted since the incarnation began.
  Effects Returned(int64_t pass, int64_t rows);
  // The program has reported a step when it had got this many rows of the pass. The first of the events is
  // StepReported, which must be in the AM's log before the checkpoint of the step becomes visible. It has to reach the
  // AM before RowsHandedOut of later rows.
  Effects StepDone(int64_t pass, int64_t rows, int64_t step);
  // The checkpoint of a step is complete.
  Effects Checkpointed(int64_t step);
  // The program has called commit() when it had got this many rows of the pass.
  Effects CommitCalled(int64_t pass, int64_t rows);
  // The process of the reader has ended. Until an order of a newer incarnation arrives, nothing is taken or returned.
  Effects Stop();

  // --- the store ---

  // The bytes of the block are on disk now, and no longer count as memory when its rows are offered again.
  Effects MovedToDisk(BlockId block);
  // A block is gone: there was no space for it. If it was NeededNow, the feed fails for this incarnation.
  Effects Lost(BlockId block);
  // Whether the current incarnation needs the block: rows of it are not returned yet, or have no answer. Other blocks
  // are kept for later passes, later incarnations and other readers, and may be on disk.
  bool NeededNow(BlockId block) const;
  // All blocks that are needed, by their number.
  std::vector<KeptBlock> kept() const;

  // --- for the program's first request ---

  // The current incarnation; -1 before its first order, and after Stop.
  int64_t incarnation() const;
  // The oldest pass that is open, where a new program begins to read. nullopt: none is open.
  std::optional<int64_t> first_pass() const;
  // EndFeed has arrived since the incarnation began: a feed without an open pass was read to its end.
  bool ended() const;

 private:
  std::unique_ptr<ReceiverState> state_;
};

}  // namespace howdah::feed
