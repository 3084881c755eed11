// The situations that the simulation is for. A run of many seeds that never reached one of them proves nothing about
// it.
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

// "a task restarted alone"
std::string_view ToText(Situation situation);

}  // namespace howdah::testing::sim
