// The subject of a simulation: the feed, its source, the training, and the faults.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "howdah/base/random.h"
#include "howdah/base/time.h"
#include "howdah/feed/ledger.h"

namespace howdah::testing::feed_sim {

// Each probability applies once to each object that the comment mentions.
struct Faults {
  std::string_view name;
  Duration latency = std::chrono::milliseconds(5);  // upper limit for one message
  double message_late = 0;                          // up to two seconds longer
  double message_lost = 0;
  double message_twice = 0;
  double am_dies = 0;          // per event, after it was logged and before its actions
  double am_killed = 0;        // per training, several times
  double tail_lost = 0;        // per death of an AM; then: with its log, of which an old copy is left
  double unreached = 0;        // per loss of a log; then: the next AM does not reach one executor
  double process_dies = 0;     // per training, several times; all ranks restart, or one alone
  double executor_dies = 0;    // then: with its rows
  double resized = 0;          // then: the number of ranks changes
  double task_dies = 0;        // per block that an attempt of the source sends
  double task_twice = 0;       // per attempt
  double source_dies = 0;      // per training
  double late_checkpoint = 0;  // per checkpoint: becomes visible after the ranks have restarted
  double another_job = 0;      // per restart of all ranks; then: a new job continues the newest checkpoint
  double queued = 0;           // per restart of all ranks; then: they start after more than the time limit for rows
  double restarts_alone = 0;   // per death of a process, if all must restart; then: it restarts alone, once
  double own_checkpoint = 0;   // per step of a rank that restarts alone; then: it saves the position of the feed itself
  double dies_after_end = 0;   // per training whose ranks restart alone: one of them, when all have read all passes
};

// The end of a source that does not supply all rows.
enum class SourceEnd {
  kNone,
  kGone,    // it does not return
  kSilent,  // it is connected, and sends nothing
  kNever,   // it has never been connected
};

struct Scenario {
  feed::Options options;
  std::vector<int64_t> rows;  // of each partition
  int64_t row_bytes = 8;
  int64_t block = 4;  // rows of one block
  int64_t batch = 2;
  int ranks = 2;
  bool own_partitions = false;  // each reader gets its own partitions, as those of files
  int checkpoint_every = 0;     // steps; 0: never
  int commit_every = 0;         // batches; 0: never calls commit()
  double keeps = 1;             // share of blocks that an executor still has when they are wanted again
  bool changes = false;         // attempts of the source read different rows
  bool batches_differ = false;
  int stops_after = -1;  // batches after which rank 0 stops reading; -1: never
  SourceEnd source_end = SourceEnd::kNone;
  Faults faults;

  bool alone() const { return options.ranks_restart_alone; }
  bool lockstep() const { return options.split != feed::Split::kDynamic; }
  // Each row must be in the model exactly once.
  bool exact() const { return checkpoint_every > 0; }
  // A source has the same rows for another job.
  bool repeatable() const { return exact() && !options.stream && !changes && source_end == SourceEnd::kNone; }
  // All ranks restart together, and the checkpoints have the position of the feed.
  bool late_checkpoints() const { return faults.late_checkpoint > 0 && repeatable() && !alone(); }
  std::string Text() const;
};

const std::vector<Faults>& FaultProfiles();
Scenario DrawScenario(Random& random);

}  // namespace howdah::testing::feed_sim
