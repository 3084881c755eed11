// Gangs: collects the containers and the registered executors of the tasks that start together. The stages of a role:
//
//   closed --(its finish-dependencies have finished)--> assembling --(every container is granted)--> forming
//     ^                                                  |   ^ released, and requested again later   |  ^
//     |                                                  `---'              every task is registered |  | a task
//     |                                                                                              v  | is lost
//     `------------(a finish-dependency starts again)--------------------------------------------------- open
//
// An open role waits until the roles that it depends on have started. If it loses a task before, it forms again.
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
  // The role's containers are being requested. Granted containers are held, and no executor is launched in them yet.
  bool IsAssembling(const Role& role) const { return StageOf(role) == Stage::kAssembling; }
  // The role's gang is not complete yet, so none of its tasks starts.
  bool IsForming(const Role& role) const { return IsAssembling(role) || StageOf(role) == Stage::kForming; }
  // The role is open, and its tasks start as a group: for the first time, or after a restart.
  bool StartsAsGroup(const Role& role) const;
  // The roles that the role depends on have started, or have finished where the dependency requires that.
  bool DependenciesHold(const Role& role) const;
  // The counts of all roles that are assembling.
  Tally Assembling() const;
  // A partial allocation was released, and nothing is requested until the pause after the release is over.
  bool paused() const { return paused_; }

  // --- steps of Settle
  void OpenRoles();
  void LaunchComplete();
  void StartComplete();

  void Granted();
  // A task of the role is lost. If the role's tasks wait for other roles to start, the gang forms again.
  void FormAgain(const Role& role);
  // A gang that has lost a container before its start is incomplete again. It must not hold its other containers
  // indefinitely.
  void Refill();

  void FireGang();
  void FireHold();
  void FireHoldNotice();
  void FireRequestAgain();

 private:
  enum class Stage { kClosed, kAssembling, kForming, kOpen };
  struct RoleGang {
    std::vector<policy::Dependency> after;
    std::vector<int> finished_first;  // roles that have to finish before this role requests containers
    Stage stage = Stage::kClosed;
  };

  Stage StageOf(const Role& role) const { return roles_[role.number()].stage; }
  bool FinishDependenciesHold(const Role& role) const;
  Tally StartingAsGroup() const;
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
  int round_ = 1;  // counts the releases of a partial allocation
  Duration hold_limit_{};
  Instant last_grant_;
  Instant incomplete_since_;
};

}  // namespace howdah::core
