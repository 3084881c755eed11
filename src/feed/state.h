// The whole state of a ledger, as a value, and the context in which the units of the ledger work on it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "howdah/base/time.h"
#include "howdah/feed/action.h"
#include "howdah/feed/ledger.h"
#include "marks.h"
#include "partitions.h"
#include "pass.h"

namespace howdah::feed {

struct Reader {
  int64_t incarnation = -1;  // -1: lost
  bool returns = true;       // false: lost, and will not start again
  bool ended = false;        // the process has ended, and the ranks will restart together
  int64_t received = 0;      // bytes since the incarnation began
  int64_t granted = 0;       // limit of `received`
  int64_t calls = 0;         // number of the last commit()
  bool left = false;         // its program needs no further rows
  // Repeated even if all rows of the pass are committed, and the pass is forgotten.
  std::optional<ClosePass> last_close;

  bool present() const { return incarnation >= 0; }
  bool has_credit() const { return present() && granted > received; }

  template <typename Codec, typename Self>
  static void Fields(Codec& codec, Self& self) {
    codec(self.incarnation, self.returns, self.ended, self.received, self.granted, self.calls, self.last_close,
          self.left);
  }
};

// The events since the last commit. Grows from generation to generation.
struct Round {
  std::map<int64_t, Pass> passes;  // the first is the one to which a restart returns
  // `equal`, `all`: one entry for all readers; `dynamic`: one per reader.
  std::vector<Marks> steps;
  std::vector<Marks> calls;   // the same for the numbers of commit() calls
  int64_t checkpointed = -1;  // the newest step with a complete checkpoint; -1: none

  template <typename Codec, typename Self>
  static void Fields(Codec& codec, Self& self) {
    codec(self.passes, self.steps, self.calls, self.checkpointed);
  }
};

struct State {
  int64_t generation = -1;
  int64_t incarnations = 0;    // numbers given to readers
  int64_t committed_pass = 0;  // the pass to which a restart returns; Options::passes: the whole feed is committed
  std::vector<Reader> readers;
  Round round;
  // The round of the generation before, until a row is handed out: CheckpointFound may still commit a part of it.
  std::optional<Round> previous;
  // By pass: what readers have committed in passes that are later than the first and not under way (`dynamic`).
  std::map<int64_t, Partitions> later;
  int64_t known_step = -1;                         // the newest step with a checkpoint that this account covers; or -1
  std::optional<int64_t> partitions;               // the number of partitions, once known
  std::map<PartitionId, PartitionEnd> known_ends;  // from earlier passes
  std::string source;                              // the name of the newest supplier; "": none has ever been connected
  bool connected = false;                          // a supplier is connected
  Instant source_since;                            // the supplier has connected or left, or an AM has resumed the feed
  Instant last_rows;                               // rows were received
  std::optional<Instant> waited_since;             // a reader waits for rows that a source could send
  bool stopped = false, ended = false;
  std::optional<FailFeed::Why> failed;
  std::string failure;
  Instant now;

  template <typename Codec, typename Self>
  static void Fields(Codec& codec, Self& self) {
    codec(self.generation, self.incarnations, self.committed_pass, self.readers, self.round, self.previous, self.later,
          self.partitions, self.known_ends, self.source, self.connected, self.source_since, self.last_rows,
          self.waited_since, self.stopped, self.ended, self.failed, self.failure, self.now, self.known_step);
  }
};

struct Context {
  const Options& options;
  State& state;
  std::vector<Action>& out;

  // Whether one number of rows holds for all readers.
  bool lockstep() const { return options.split != Split::kDynamic; }
  bool over() const { return state.stopped || state.failed.has_value(); }
  int ranks() const { return static_cast<int>(state.readers.size()); }
  ReaderId Id(int rank) const { return {rank, state.readers[static_cast<size_t>(rank)].incarnation}; }
  // Whether the event of this reader counts: it is of the current incarnation.
  bool Knows(const ReaderId& reader) const {
    return reader.rank >= 0 && reader.rank < ranks() && reader.incarnation >= 0 && Id(reader.rank) == reader;
  }
  // nullptr if the pass is not under way.
  Pass* Find(int64_t pass) const {
    const auto at = state.round.passes.find(pass);
    return at == state.round.passes.end() ? nullptr : &at->second;
  }
};

}  // namespace howdah::feed
