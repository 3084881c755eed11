// Actions: the orders of the ledger of a feed. Each order is harmless if it is carried out twice, late, or in another
// order. Numbers that grow (credit, sealed rows, committed rows) count from the start of the incarnation; the largest
// one applies.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "howdah/feed/event.h"
#include "howdah/feed/row_ranges.h"

namespace howdah::feed {

// --- to the executor of a reader ---

// Rows of the pass are wanted. Offer the rows of the pass that are kept (RowsReceived), in their old order, and then
// answer KeptRowsOffered. An order with a new incarnation, of any type, ends the older ones: positions and counts start
// at 0.
struct OpenPass {
  ReaderId reader;
  int64_t pass = 0;
};
// The answer to RowsReceived. `placed` lists the offered rows that belong to this reader, with their positions in the
// reader's lane. Other readers will fetch the rows `kept`: keep them, too. All other offered rows were accepted
// elsewhere or are not wanted: drop them. Acknowledge all offered rows to the source.
struct AcceptRows {
  struct Placed {
    int64_t at = 0;
    Rows rows;
    friend bool operator==(const Placed&, const Placed&) = default;

    template <typename Codec, typename Self>
    static void Fields(Codec& codec, Self& self) {
      codec(self.at, self.rows);
    }
  };
  ReaderId reader;
  int64_t pass = 0;
  PartitionId partition = 0;
  Rows offered;
  std::vector<Placed> placed;
  std::vector<Rows> kept;
  int64_t received = 0;  // see GrantCredit
};
// Accept a block from a source while the bytes that the reader has received are less than this. So the last block may
// exceed the limit. The reader has received the largest number in the field `received` of its orders, and the bytes of
// all blocks that it has offered and for which it has no answer yet.
struct GrantCredit {
  ReaderId reader;
  int64_t bytes = 0;
};
// The reader may return rows at positions below `rows`, in whole batches. Every other reader has as many (split `equal`
// and `all`). In a shuffled feed the positions from <= position < rows are one window (shuffle.h), and the reader
// returns its rows in the order of the window.
struct Seal {
  ReaderId reader;
  int64_t pass = 0;
  int64_t from = 0;
  int64_t rows = 0;
  bool short_batch = false;  // the reader may return less than a batch, because no more rows are expected
};
// Take rows that are kept here, or else fetch them from the executor of the rank `from` (possibly the reader's own).
// Place them at position `at`, and answer RowsMoved.
struct Reassign {
  ReaderId reader;
  int64_t pass = 0;
  int from = 0;
  int64_t at = 0;
  PartitionId partition = 0;
  Rows rows;
  int64_t received = 0;  // see GrantCredit
  bool repeat = false;   // the rows occur a second time in this pass (remainder `repeat`)
};
// The pass ends for the reader when it has returned this many rows; the last batch may be short.
struct ClosePass {
  ReaderId reader;
  int64_t pass = 0;
  int64_t rows = 0;
  int64_t left_out = 0;  // rows of all ranks that no rank reads in this pass
  int64_t repeated = 0;  // rows of all ranks that are read twice
  bool empty = false;    // no rank has read a row of this pass: the reader raises FeedEmpty

  template <typename Codec, typename Self>
  static void Fields(Codec& codec, Self& self) {
    codec(self.reader, self.pass, self.rows, self.left_out, self.repeated, self.empty);
  }
};
// The first `rows` rows of the pass that the reader has returned, and all earlier passes, will not be read again by a
// later incarnation. The executor may release them, except for later passes and for rows that Reassign may name (see
// "Keeping rows" in ledger.h).
struct Committed {
  ReaderId reader;
  int64_t pass = 0;
  int64_t rows = 0;
};

// --- to the source ---

// Supply these partitions: ask for their missing rows (Ledger::Ask), and send them. Attempts that are under way need
// not start again.
struct RequestRows {
  int64_t pass = 0;
  std::vector<Rows>
      partitions;  // ranges of their numbers; the last one ends at kMostPartitions if the end is not known
};
// No further rows are wanted: every pass was read, or the program has stopped. Attempts end successfully.
struct EndFeed {};

// --- to all ---

// Readers raise an error when they have returned the rows that were sealed, and sources at once.
struct FailFeed {
  enum class Why {
    kMisuse,   // batch sizes differ
    kChanged,  // rows of a partition differ from those of an earlier attempt
    kLost,     // the source is gone
    kFailed,   // the source cannot supply its rows
  };
  Why why = Why::kMisuse;
  std::string message;  // for people
  // Readers of incarnations below this fail, also if their first order arrives later.
  int64_t before = 0;
};

using Action = std::variant<OpenPass, AcceptRows, GrantCredit, Seal, Reassign, ClosePass, Committed, RequestRows,
                            EndFeed, FailFeed>;

}  // namespace howdah::feed
