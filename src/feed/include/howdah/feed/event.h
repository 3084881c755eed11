// Events: the facts that the ledger of a feed receives. Every event is legal in every state. A stale event (of an older
// incarnation, or about a pass that is over) or a repeated event changes nothing. So events may be delayed, repeated
// and reordered. An event that was lost must be sent again by its sender, see ReaderSynced.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "howdah/feed/row_ranges.h"

namespace howdah::feed {

// One reader: a rank, and the number that the ledger gave to this start of it (OpenPass). The ledger ignores events of
// other incarnations.
struct ReaderId {
  int rank = 0;
  int64_t incarnation = 0;
  friend bool operator==(const ReaderId&, const ReaderId&) = default;

  template <typename Codec, typename Self>
  static void Fields(Codec& codec, Self& self) {
    codec(self.rank, self.incarnation);
  }
};

// --- from the job ---

// All ranks start together: the first time, or again after a failure or a change of their number. Every reader goes
// back to the last commit. generation: the number of the job's generation; the ledger ignores older ones.
struct GenerationFormed {
  int64_t generation = 0;
  int ranks = 0;  // 1 … kMostRanks
};
// The process of a reader has ended, or its executor is gone. If ranks restart alone (Options::ranks_restart_alone),
// the rows that the reader has not committed become missing. In other feeds a generation follows, and the event only
// has the effect that the reader does not wait for rows any more.
struct RankLost {
  ReaderId reader;
  bool returns = true;  // RankStarted will follow
};
// A lost rank has started again. If ranks do not restart alone, the feed fails: the other ranks go on, and wait for
// rows of this one.
struct RankStarted {
  int rank = 0;
};
// The program has restored the checkpoint of this step before it read a row, so its commit counts even if
// CheckpointReported was lost.
struct CheckpointFound {
  int64_t generation = 0;
  int64_t step = 0;
};
// The program needs no further rows: stop(), or the job ends.
struct ReadingStopped {};

// --- from executors, for their readers ---

// The connection to the executor of a rank was lost and is back, and messages in both directions may have been lost.
// The ledger repeats its orders to the reader. The executor first sends all StepReported since the last commit again,
// in their order, then its unanswered RowsReceived and RowsMoved, and the newest values of all events below.
struct ReaderSynced {
  int rank = 0;
};
// The program began to read a pass in batches of this many rows. All readers of a pass must use the same number.
struct ReaderOpened {
  ReaderId reader;
  int64_t pass = 0;
  int64_t batch = 0;  // 1 … kMostRows
};
// The answer to OpenPass: the executor has offered all rows of this pass that it kept, as RowsReceived.
struct KeptRowsOffered {
  ReaderId reader;
  int64_t pass = 0;
};
// The executor has received rows from a source, or kept them from an earlier pass or incarnation. The answer is
// AcceptRows. Until then the rows do not count: the executor must not acknowledge them to the source. The event and its
// answer are sent once over a connection, and again over the next one; they never arrive after their connection was
// lost.
struct RowsReceived {
  ReaderId reader;
  int64_t pass = 0;
  PartitionId partition = 0;
  Rows rows;
  int64_t bytes = 0;  // memory that the rows occupy; 0 if they are on disk
  // The sum, modulo 2^64, of hashes of row numbers and content, one for each block of rows. All attempts to supply the
  // partition must use the same blocks. nullopt: not known, for example of a part of a block.
  std::optional<uint64_t> digest = {};
};
// The reader has the rows that Reassign named, at this position.
struct RowsMoved {
  ReaderId reader;
  int64_t pass = 0;
  int64_t at = 0;
};
// The reader has returned this many rows of the pass to the program, since the incarnation began.
struct RowsHandedOut {
  ReaderId reader;
  int64_t pass = 0;
  int64_t rows = 0;
  bool waiting = false;  // the program asks for the next batch, and the reader cannot return one
};
// The program reported a step when the reader had returned this many rows of the pass, which is the pass of the newest
// batch. If RowsHandedOut of later rows arrives first, the step may be ignored, and a commit covers less.
struct StepReported {
  ReaderId reader;
  int64_t pass = 0;
  int64_t rows = 0;
  int64_t step = 0;
};
// The checkpoint of a step is complete.
struct CheckpointReported {
  ReaderId reader;
  int64_t step = 0;
};
// The program has called commit() when the reader had returned this many rows of the pass. call: the number of this
// call since the incarnation began, from 1.
struct CommitCalled {
  ReaderId reader;
  int64_t pass = 0;
  int64_t rows = 0;
  int64_t call = 0;
};

// --- from sources ---

// An attempt to supply the partition has read it to its end. rows, digest: of the whole partition, including rows that
// the attempt did not send.
struct PartitionEnded {
  int64_t pass = 0;
  PartitionId partition = 0;
  int64_t rows = 0;
  std::optional<uint64_t> digest = {};  // as in RowsReceived
};
// The source has exactly the partitions 0 … partitions - 1. May be known at the start, or only when a stream is closed.
struct SourceEnded {
  int64_t partitions = 0;
};
// The supplier of the source (a driver, a pushing process) is connected, or is gone. name: for messages, such as "the
// Spark application application_17_0001".
struct SourceConnected {
  std::string name;
};
struct SourceLost {
  std::string name;
};

// --- from the AM ---

// This AM has restored the ledger of an AM that died, so orders may have been lost. The ledger repeats them. No source
// could supply rows in the meantime.
struct AmResumed {};
// Time has passed; sent at or after Ledger::NextDeadline().
struct Ticked {};

// --- from sources, added later ---

// The source cannot supply its rows, such as those of a damaged file: the feed fails with this message. changed: the
// rows are not those that it had before.
struct SourceFailed {
  std::string message;  // for people
  bool changed = false;
};

// --- from programs, added later ---

// As CheckpointFound, for a checkpoint that has the position of the feed: `point` is the result of Ledger::PointAt for
// this step. The feed continues after the rows of the point if this ledger does not know which rows the checkpoint
// covers, because another job has written it, or the ledger has no mark of the step. It has no effect if the rank
// restarts alone, and rows were committed or handed out.
struct PointFound {
  int64_t generation = 0;
  int64_t step = 0;
  std::string point;
};
// The program of this reader needs no further rows, and drops those that it still gets. Once this holds for all
// readers, reading has stopped.
struct ReaderLeft {
  ReaderId reader;
};

// --- from the AM, added later ---

// The newest records of the log may be lost. Executors may know readers of incarnations that this ledger has not given,
// so the next incarnations are larger than those.
struct TermBegun {};

using Event = std::variant<GenerationFormed, RankLost, RankStarted, CheckpointFound, ReadingStopped, ReaderSynced,
                           ReaderOpened, KeptRowsOffered, RowsReceived, RowsMoved, RowsHandedOut, StepReported,
                           CheckpointReported, CommitCalled, PartitionEnded, SourceEnded, SourceConnected, SourceLost,
                           AmResumed, Ticked, SourceFailed, PointFound, ReaderLeft, TermBegun>;

}  // namespace howdah::feed
