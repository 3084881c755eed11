// The situations that the simulation must reach. A run of many seeds proves nothing about a situation that none of them
// has reached.
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
  kPartialAllocationReleased,
  kGangTimedOut,
  kRunTimedOut,
  kRequestRefused,
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
  kClockJumpedForward,
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
  kReclaimAnnounced,
  kProgressRecorded,
  kHung,
  kRankedHung,
  kStackSampled,
  kGraceExtended,
  kLongestGraceOver,
  kGrew,
  kShrank,
  kSlotsReassigned,
  kNodeAvoided,
  kMembershipChanged,
  kFinalByRule,
  kFreeByRule,
  kRejoined,
  kGrewByRejoin,
  kUnreachable,
  kOutlivedService,
  kAfterReady,
  kStored,
  kCount,
};

using Coverage = std::bitset<static_cast<size_t>(Situation::kCount)>;

// Describes the situation, for example "a task restarted alone".
std::string_view ToText(Situation situation);

}  // namespace howdah::testing::sim
