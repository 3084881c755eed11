#include "phase.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace howdah::core {
namespace {

using PhaseKind = Phase::Kind;

constexpr std::array kPhases = {PhaseKind::kQueued,   PhaseKind::kForming, PhaseKind::kRunning,
                                PhaseKind::kDraining, PhaseKind::kBackoff, PhaseKind::kEnding};

// One row per phase, with one column per phase that it could lead to: `x` is an arrow of the diagram in phase.h.
//                                            QFRDBE
constexpr std::array<const char*, 6> kArrows = {
    ".x...x",  // Queued
    "..xx.x",  // Forming
    "...x.x",  // Running
    ".x.xxx",  // Draining
    ".x.x.x",  // Backoff
    "......",  // Ending
};

// A job that is in the given phase.
Phase JobIn(PhaseKind kind) {
  Phase phase;
  if (kind == PhaseKind::kQueued) return phase;
  phase.Form(0);
  if (kind == PhaseKind::kRunning) phase.Run();
  if (kind == PhaseKind::kDraining || kind == PhaseKind::kBackoff) phase.BeginDrain({});
  if (kind == PhaseKind::kBackoff) phase.BeginGeneration({}, true);
  if (kind == PhaseKind::kEnding) phase.End();
  return phase;
}

// Changes the phase. No method leads to Queued.
void Enter(Phase& phase, PhaseKind to) {
  switch (to) {
    case PhaseKind::kQueued:
      return;
    case PhaseKind::kForming:
      if (phase.kind() == PhaseKind::kBackoff) return phase.EndBackoff();
      return phase.kind() == PhaseKind::kDraining ? phase.BeginGeneration({}, false) : phase.Form(1);
    case PhaseKind::kRunning:
      return phase.Run();
    case PhaseKind::kDraining:
      return phase.BeginDrain({});
    case PhaseKind::kBackoff:
      return phase.BeginGeneration({}, true);
    case PhaseKind::kEnding:
      return phase.End();
  }
}

TEST(Phase, LeadsOnlyAlongTheArrowsOfTheDiagram) {
  for (size_t from = 0; from < kPhases.size(); ++from) {
    for (size_t to = 0; to < kPhases.size(); ++to) {
      SCOPED_TRACE(std::to_string(from) + " -> " + std::to_string(to));
      const bool arrow = kArrows[from][to] == 'x';
      EXPECT_EQ(Leads(kPhases[from], kPhases[to]), arrow);
      if (kPhases[to] == PhaseKind::kQueued) continue;
      Phase phase = JobIn(kPhases[from]);
      ASSERT_EQ(phase.kind(), kPhases[from]);
      if (arrow) {
        Enter(phase, kPhases[to]);
        EXPECT_EQ(phase.kind(), kPhases[to]);
      } else {
        EXPECT_DEATH(Enter(phase, kPhases[to]), "invalid transition between two phases");
      }
    }
  }
}

TEST(Phase, EndOfThePauseHasNoEffectOutsideBackoff) {
  Phase phase = JobIn(PhaseKind::kRunning);
  phase.EndBackoff();
  EXPECT_EQ(phase.kind(), PhaseKind::kRunning);
}

TEST(Phase, HoldOfAnInterruptedPauseContinuesDuringTheSecondDrain) {
  Phase phase = JobIn(PhaseKind::kDraining);
  phase.BeginGeneration({.scope = Scope::kRanked, .everyone = true}, true);
  phase.BeginDrain({.scope = Scope::kRanked});
  EXPECT_TRUE(phase.HoldsEveryone(true));
  EXPECT_TRUE(phase.MayStart(false));
  phase.BeginGeneration({.scope = Scope::kAll}, false);
  EXPECT_EQ(phase.generation(), 2);
  EXPECT_TRUE(phase.Holds(false));
  EXPECT_FALSE(phase.HoldsEveryone(false));
}

TEST(Phase, JobThatEndsBeforeItsAmStartedStaysQueuedForTheAm) {
  Phase phase;
  phase.End();
  EXPECT_TRUE(phase.ending());
  EXPECT_TRUE(phase.queued());
}

}  // namespace
}  // namespace howdah::core
