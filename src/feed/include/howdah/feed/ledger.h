// The ledger of one feed: decides which rank reads which rows, and keeps account of every row. Pure: no clock, socket
// or file. The application master has one Ledger per feed. It passes on what executors and sources report as events,
// and carries out the actions.
//
// THE PROMISE
//   1. A row that a commit covers is not read again. A row that no commit covers is read again after a restart.
//   2. Split `equal` and `all`: all readers get the same number of rows and batches in each pass, and a reader may
//      return a batch only when every other reader has one.
//   3. A pass leaves out less than the remainder rule allows: `drop` less than ranks × batch rows, `short` less than
//      ranks rows, `repeat` none. (`all`: less than one batch, none, none.)
//   4. Granted credit keeps the bytes ahead of each reader below `buffer`, plus one block. A reader that has less than
//      a batch ahead of it may always get one more block, so that large rows cannot block a feed. The bound is then one
//      batch, plus one block. Rows of adjacent blocks of a partition count with their average size.
//   5. If the source supplies all requested rows and the readers read, every pass ends.
//   6. Restoring the records of an older ledger gives the same state, byte for byte.
//   7. Nothing that arrives can crash the ledger: what it cannot use is refused or ignored.
//
// TERMS
//   reader       one rank, in one *incarnation*. Each GenerationFormed and RankStarted begins new incarnations.
//   pass         one traversal of the source. Each row is (pass, partition, row number). Partitions are the same in all
//                passes.
//   lane         the ordered rows of one reader in one pass, each at a *position* from 0. With split `all` there is one
//                lane for all readers. Reassign moves rows from the end of one lane to another.
//   accepted     the row has a position in a lane, or is committed. Every other row is *missing*.
//   sealed       positions below this number may be read.
//   handed out   rows that the reader has returned to the program: with shuffle, in the order of windows; else by
//                position.
//   mark         the number of rows handed out when the program reported a step.
//   commit       the rows up to a mark, when the checkpoint of its step, or of a later one, is complete and every
//                reader has handed out as many; or the rows up to commit(). In `equal` and `all` readers work in
//                lockstep: one number of rows holds for all of them, a mark by one reader is enough, and commit()
//                counts when each reader has called it. In `dynamic` each reader has its own marks.
//
// UNITS. Rows are counted in rows, memory in bytes, and a batch in rows of one reader.
//
// OWNERS. The ledger owns positions, seals, credit and commits. The executor of a reader owns the data and how they are
// kept (memory, disk). The source owns attempts: it starts them when rows are requested, asks with Ask() which rows to
// send, and where. The shell asks again for sources that wait whenever Step has returned an action; for questions with
// a reader, whenever Step has changed the state.
//
// KEEPING ROWS. An executor keeps the rows of its lane until Committed covers them, or it runs out of space; rows that
// it has not kept are requested from the source again. Until the pass is over for all readers (the pass after the next
// one was opened, or the feed has ended), it keeps rows that it has not handed out, because another reader may fetch
// them, and with remainder `repeat` also the first batch of the pass. feed::Receiver carries this out.
//
// DURABLE. A step whose result says `changed` must be in the event log, as EncodeRecord(event, now), before any of its
// actions is carried out. A log may begin with a snapshot, which replaces all records before it.
//
// TIME LIMIT. The feed fails (FailFeed::Why::kLost) when a reader has waited for rows for Options::lost_after, although
// a source could have sent them: rows are missing and were requested, and some reader has room. The time begins again
// when rows arrive, a source connects or leaves, the readers restart, or another AM resumes the feed. There is no limit
// while no process of a reader runs (the job waits in a queue), while no reader has room, and while the source of an
// open stream is connected.
//
// LIMITS. Memory depends on partitions that are not committed and on blocks that are accepted and not handed out: rows
// before the oldest mark are kept as ranges of each partition. Per reader at most kMostMarks marks are kept; beyond it
// every second one is dropped, so a commit may cover less. Likewise at most kMostPasses passes are kept from the last
// commit to the current one.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/base/time.h"
#include "howdah/feed/action.h"
#include "howdah/feed/event.h"

namespace howdah::feed {

inline constexpr int kMostRanks = 1 << 16;
inline constexpr int64_t kLargestRepeatedBatch = 1 << 16;  // with remainder `repeat`
inline constexpr size_t kMostMarks = 4096;
inline constexpr size_t kMostPasses = 16;

enum class Split {
  kEqual,    // each row to one reader, the same number of batches for all
  kDynamic,  // each row to one reader
  kAll,      // each row to every reader
};
// The rows at the end of a pass that do not fill a batch of every reader.
enum class Remainder {
  kDrop,    // are left out
  kShort,   // make the last batch of all readers smaller
  kRepeat,  // are filled up with the first rows of the pass
};

struct Options {
  Split split = Split::kEqual;
  Remainder remainder = Remainder::kDrop;
  int64_t passes = 1;   // 1 for a stream
  int64_t shuffle = 0;  // rows of a window, at most kLargestPool; 0: not shuffled
  uint64_t seed = 0;
  int64_t buffer = int64_t{256} << 20;  // bytes ahead of each reader
  // Ranks restart alone, and the model survives them (RankLost). Only with split `dynamic`. A pass that was read to its
  // end by all readers is then committed.
  bool ranks_restart_alone = false;
  bool recompute = false;                          // the source may supply other rows in later passes
  bool accept_changes = false;                     // the source may supply other rows whenever it is asked
  Duration lost_after = std::chrono::minutes(10);  // see "TIME LIMIT"
  bool stream = false;                             // a source that is connected may be idle until the stream is closed
  std::string name = {};                           // of the feed, for messages
};

struct StepResult {
  std::vector<Action> actions;
  bool changed = true;  // false: a replica of the ledger has the same state without the event
};

// The answer to a source that wants to supply a partition.
struct Answer {
  enum class What {
    kSend,  // send the `missing` rows to `rank`; when it accepts no more, ask again
    kWait,  // ask again after the next actions
    kDone,  // no row of the partition is missing, or the pass is not open; RequestRows names the rows that are wanted
    kOver,  // the feed has ended or failed
  };
  What what = What::kWait;
  std::vector<Rows> missing = {};  // the last range ends at kMostRows if the end of the partition is not known
  int rank = 0;
  int64_t limit = 0;  // rows after which the source asks again; 0: it asks when the reader accepts no more
};

// For status and people.
struct Progress {
  int64_t pass = 0;            // the newest pass that was opened
  int64_t accepted = 0;        // rows placed in lanes of this pass, since the generation began
  int64_t handed_out = 0;      // by all readers, likewise
  int64_t committed_pass = 0;  // the pass to which a restart returns
  bool over = false;
  bool failed = false;  // permanently: readers that start again get the same FailFeed
};

// Not thread-safe.
class Ledger {
 public:
  explicit Ledger(const Options& options);
  ~Ledger();
  Ledger(Ledger&&) noexcept;
  Ledger& operator=(Ledger&&) noexcept;

  // Accepts every event in every state. `now` should not go back; if it does, the time of the last Step applies.
  StepResult Step(const Event& event, Instant now);

  // The time at which Step(Ticked) must be called next. Returns nullopt while nothing is due.
  std::optional<Instant> NextDeadline() const;

  // A source is ready to supply rows of the partition. near: the rank with which it can exchange data fastest, which is
  // preferred while it has credit; -1 if there is none.
  // reader: the partition is one of those that only this reader gets, so that the order of rows does not depend on
  // time; -1: any reader may get it. The readers of the feed share its partitions: partition p is for reader p % ranks.
  Answer Ask(int64_t pass, PartitionId partition, int near = -1, int reader = -1) const;

  // The current incarnation of a rank; negative if it is lost. A program that has restored a checkpoint reads with the
  // incarnation that follows CheckpointFound.
  int64_t incarnation(int rank) const;

  Progress progress() const;
  const Options& options() const;

  // The rows that a checkpoint of this step covers, for PointFound. Rows whose marks have not arrived are not covered:
  // in `dynamic` each reader has its own marks.
  std::string PointAt(int64_t step) const;

  // The state as a record. Equal states give equal snapshots.
  std::string Snapshot() const;

  // Takes one record of the ledger that this one continues: the caller restores all records in their order, and then
  // steps AmResumed. Fails if the record is damaged.
  Status Restore(std::string_view record);

  // Aborts the process if the state is inconsistent. For tests and the simulator.
  void CheckInvariants() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// The record of a step.
std::string EncodeRecord(const Event& event, Instant now);

}  // namespace howdah::feed
