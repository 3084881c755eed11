// Gangs: how the tasks that start together get their containers and come to be registered. Per role:
//
//   closed --(its finish-dependencies have finished)--> assembling --(every container is granted)--> forming
//     ^                                                  |   ^ released, and requested again later       |
//     |                                                  `---'                    every task is registered
//     `------------(a finish-dependency starts again)------------- open <-------------------------------'
//
// Roles that start task by task are open at once. A restart (Phase::Hold) forms its scope in the same way.
#pragma once

#include <string>
#include <vector>

#include "context.h"
#include "howdah/core/policy/gang.h"
#include "roster.h"

namespace howdah::core {

struct Units;

class Assembly {
 public:
  explicit Assembly(Units& units);

  void Begin();  // AmStarted

  bool IsOpen(const Role& role) const { return StageOf(role) != Stage::kClosed; }
  // Its containers are being requested: what is granted is held, and not launched yet.
  bool IsAssembling(const Role& role) const { return StageOf(role) == Stage::kAssembling; }
  // Its gang has not been complete yet: no task of it starts.
  bool IsForming(const Role& role) const { return IsAssembling(role) || StageOf(role) == Stage::kForming; }
  // It is open, and its tasks wait for each other: since its start or a restart.
  bool Gathers(const Role& role) const;
  // The roles that it starts after have started, or finished.
  bool DependenciesHold(const Role& role) const;
  // Sum over the roles whose containers are being requested.
  Tally Assembling() const;
  // A partial allocation was released; nothing is requested until a pause is over.
  bool paused() const { return paused_; }

  // --- steps of Settle
  void OpenRoles();
  void LaunchComplete();
  void StartComplete();

  void Granted();
  // A gang that lost a container before a start is incomplete again, and must not hold the others indefinitely.
  void Refill();
  // A new generation begins to form.
  void RestartLimit() { context_.timers.Disarm(JobTimer::kGang); }

  void FireGang();
  void FireHold();
  void FireHoldNotice();
  void FireRequestAgain();

 private:
  enum class Stage { kClosed, kAssembling, kForming, kOpen };
  struct RoleGang {
    std::vector<policy::Dependency> after;
    std::vector<int> finished_first;  // roles that have to finish before it requests containers
    Stage stage = Stage::kClosed;
  };

  Stage StageOf(const Role& role) const { return roles_[role.number()].stage; }
  bool FinishDependenciesHold(const Role& role) const;
  Tally Gathering() const;
  bool AnyAssembling() const;
  void CloseRole(Role& role);
  void ReleaseIdle(Role& role);
  bool AssembleAgain();
  void ReleasePartial();
  bool AwaitsPreempted() const;
  void Fail();
  void HoldUntil(Duration limit);

  Context& context_;
  Roster& roster_;
  Units& units_;
  std::vector<RoleGang> roles_;
  bool paused_ = false;
  int round_ = 1;  // of releasing a partial allocation
  Duration hold_limit_{};
  Instant last_grant_;
  Instant incomplete_since_;
};

}  // namespace howdah::core
