// The situations that the simulation exists to reach. If a run of many seeds misses one, it proves nothing about that
// situation.
#pragma once

#include <bitset>
#include <cstddef>
#include <string_view>

namespace howdah::testing::sim {

enum class Situation {
  kSucceeded,
  kFailed,
  kKilled,
  kFailedWithExitThree,
  kRestartedAlone,
  kRestartedTogether,
  kWholeJobRestarted,
  kRestartedAfterLoss,
  kStartFailed,
  kFirstCauseOutOfOrder,
  kHoldGaveBack,
  kGangTimedOut,
  kRunTimedOut,
  kPlaceRefused,
  kSurplusGranted,
  kGrantTwice,
  kMessageTwice,
  kMessageOfGoneContainer,
  kContainerLost,
  kNodeLost,
  kLaunchFailed,
  kNeverRegistered,
  kExecutorKilled,
  kFellSilent,
  kReconnected,
  kKilledAfterGrace,
  kStoppedTwice,
  kStoppedBeforeStart,
  kScaledUp,
  kScaledDown,
  kScaleRejected,
  kAmDied,
  kClockWentBack,
  kClockLeapt,
  kFailureTolerated,
  kFailureIgnored,
  kTaskTimedOut,
  kOutlivedFailed,
  kOutlivedIgnored,
  kSetUp,
  kSidecarFailed,
  kServiceFailed,
  kChiefEnded,
  kAfterStarted,
  kAfterFinished,
  kLaterGang,
  kTwoJobsShared,
  kEventAfterFinish,
  kAmReplaced,
  kAmLostTail,
  kOrdersLost,
  kWarned,
  kProgressRecorded,
  kStalled,
  kStalledTogether,
  kStandsTold,
  kGraceExtended,
  kLongestGraceOver,
  kGrew,
  kWentOnWithFewer,
  kRanksClosedUp,
  kNodeAvoided,
  kMoved,
  kFinalByRule,
  kFreeByRule,
  kWentOnInAnotherWorld,
  kGrewWithoutAStop,
  kUnreachable,
  kCount,
};

using Coverage = std::bitset<static_cast<size_t>(Situation::kCount)>;

// For example "a task restarted alone".
std::string_view ToText(Situation situation);

}  // namespace howdah::testing::sim
