// One simulation of a feed from one seed: the ledger in an application master, a source, executors, and a training.
// Faults occur only during a first phase. In the second phase every pass has to end.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "howdah/testing/sim/violation.h"

namespace howdah::testing::feed_sim {

// The situations that the simulation must reach.
enum class Situation {
  kEqual,
  kDynamic,
  kAll,
  kDropped,
  kShortened,
  kRepeated,
  kShuffled,
  kStream,
  kSeveralPasses,
  kRowsMoved,
  kDuplicateRefused,
  kRanksRestarted,
  kRankRestartedAlone,
  kRankGone,
  kExecutorLost,
  kShrank,
  kGrew,
  kBackInEarlierPass,
  kAmReplaced,
  kOrdersLost,
  kLogCompacted,
  kMessageLost,
  kMessageTwice,
  kTaskDied,
  kTaskRanTwice,
  kSourceRestarted,
  kSourceGone,
  kCheckpointCommitted,
  kCheckpointFound,
  kCommitCalled,
  kKeptRowsOffered,
  kChangeFound,
  kChangeAccepted,
  kBatchesDiffer,
  kEmptyPass,
  kStoppedEarly,
  kNoCredit,
  kSourceSilent,
  kNeverSupplied,
  kQueued,
  kGivenAway,
  kAnotherJob,
  kTailReturned,
  kRecordsLost,
  kExecutorUnreached,
  kCheckpointLate,
  kRankRestartedAfterEnd,
  kPointRestored,
  kPointIgnored,
  kRestartedWithoutOthers,
  kCount,
};

using Coverage = std::bitset<static_cast<size_t>(Situation::kCount)>;

std::string_view ToText(Situation situation);

using sim::TraceSink;
using sim::Violation;

struct SeedResult {
  std::string scenario;  // for example "equal, short, 3 ranks, dying masters"
  std::optional<Violation> violation;
  uint64_t digest = 0;
  Coverage coverage;
  int events = 0;  // number of events that the ledger received
};

SeedResult RunSeed(uint64_t seed, const TraceSink& trace = nullptr);

}  // namespace howdah::testing::feed_sim
