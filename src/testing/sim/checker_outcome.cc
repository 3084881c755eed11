// The rules about the end of a job.
#include <algorithm>

#include "checker.h"
#include "howdah/core/ranks.h"
#include "text.h"

namespace howdah::testing::sim {

using core::JobState;
using core::TaskState;
using jobspec::RoleKind;

namespace {
constexpr int kExitSucceeded = 0, kExitFailed = 1, kExitUnavailable = 3, kExitKilled = 4;
// If the gang time-out is at least this long, the gang becomes complete in time, because faults stop early enough.
constexpr Duration kLongGang = std::chrono::minutes(15);
}  // namespace

void Checker::Check(const core::FinishJob& finish) {
  finish_ = Finish::kOrdered;
  // After a clock jump, a core may give up containers that still work.
  if (!facts_.held().empty() && world_.clocks_agree()) {
    world_.Violate("A finished job holds no container", facts_.held().begin()->first.text);
  }
  if (const std::string left = truth_.Running(); !left.empty() && world_.clocks_agree())
    world_.Violate("No process outlives its job", left);
  if (finish.state != fold_.job_state()) {
    world_.Violate("The final state is recorded just before the job finishes",
                   std::string(core::ToText(fold_.job_state())));
  }
  ForEachTask([this](TaskId task, const FoldedTask& folded) {
    if (!core::IsFinal(folded.state)) {
      world_.Violate("Every task of a finished job is final",
                     Name(task) + " is " + std::string(core::ToText(folded.state)));
    }
  });
  CheckOutcome(finish);
}

void Checker::CheckOutcome(const core::FinishJob& finish) {
  const auto exit = [&](std::initializer_list<int> allowed) {
    if (std::find(allowed.begin(), allowed.end(), finish.exit_code) != allowed.end()) return;
    world_.Violate("The exit code matches the state",
                   std::string(core::ToText(finish.state)) + " with " + std::to_string(finish.exit_code));
  };
  switch (finish.state) {
    case JobState::kSucceeded:
      world_.Reach(Situation::kSucceeded);
      exit({kExitSucceeded});
      CheckSuccess();
      return;
    case JobState::kFailed:
      world_.Reach(Situation::kFailed);
      exit({kExitFailed, kExitUnavailable});
      CheckFailure(finish);
      return;
    case JobState::kKilled:
      world_.Reach(Situation::kKilled);
      exit({kExitKilled});
      if (!facts_.stop_requested()) world_.Reach(Situation::kRunTimedOut);
      if (!facts_.stop_requested() && !workload_.spec.timeouts.run) {
        world_.Violate("A job is killed only by a request or by its time limit", fold_.reason());
      }
      return;
    default:
      world_.Violate("A job finishes in a final state", std::string(core::ToText(finish.state)));
  }
}

// Whether the failure of this task alone ends the job if no restart is left.
bool Checker::FailsTheJob(TaskId task) const {
  const jobspec::RoleSpec& role = Role(task.role);
  if (role.kind == RoleKind::kSidecar) return false;
  return role.on_failure == jobspec::OnFailure::kFail ||
         (role.on_failure == jobspec::OnFailure::kIgnoreOthers && task.index == 0);
}

// Whether the job no longer waits for the role, because all roles that the role may outlive have ended.
bool Checker::MayOutlive(const jobspec::RoleSpec& role) const {
  if (!role.outlive || role.outlive->then == jobspec::Outlive::Then::kFail) return false;
  bool ended = true;
  ForEachTask([&](TaskId task, const FoldedTask& folded) {
    const auto& names = role.outlive->roles;
    const bool outlived = std::find(names.begin(), names.end(), Role(task.role).name) != names.end();
    ended = ended && (!outlived || core::IsFinal(folded.state));
  });
  return ended;
}

// Whether a limit (`timeout` or `outlive`) is the reason for the end of the job, and some role has such a limit.
bool Checker::RanTooLong() {
  const auto& roles = workload_.spec.roles;
  const auto is = [this](core::Cause::Kind kind) { return fold_.cause() && fold_.cause()->kind == kind; };
  const bool timed_out = is(core::Cause::Kind::kTaskTimeout) &&
                         std::any_of(roles.begin(), roles.end(), [](const auto& role) { return role.timeout; });
  const bool outlived =
      is(core::Cause::Kind::kOutlived) && std::any_of(roles.begin(), roles.end(), [](const auto& role) {
        return role.outlive && role.outlive->then == jobspec::Outlive::Then::kFail;
      });
  if (timed_out) world_.Reach(Situation::kTaskTimedOut);
  if (outlived) world_.Reach(Situation::kOutlivedFailed);
  return timed_out || outlived;
}

// A job succeeds if its chief has succeeded, or its first rank if the framework's rules let it decide. Otherwise every
// worker must have succeeded, except workers whose failures are tolerated or ignored. If failures are tolerated, at
// least one of the tolerant workers must not have failed.
void Checker::CheckSuccess() {
  const auto& roles = workload_.spec.roles;
  const bool has_chief = std::any_of(roles.begin(), roles.end(), [](const auto& role) { return role.chief; });
  const auto first = slots_.find({core::FirstRankedRole(workload_.spec), 0});
  const bool decides = workload_.rules.first_rank_decides && first != slots_.end();
  const TaskId leader = decides ? first->second : TaskId{-1, 0};
  int tolerant = 0, tolerated = 0, ignored = 0;
  bool chief_succeeded = false;
  std::string missing;
  ForEachTask([&](TaskId task, const FoldedTask& folded) {
    const jobspec::RoleSpec& role = Role(task.role);
    if (role.kind != RoleKind::kWorker) return;
    const TaskFacts* facts = facts_.Find(task);
    // The task was still starting when the other tasks had completed the work.
    const bool still_starting =
        role.instances.elastic() && (!facts || facts->over) && folded.state == TaskState::kStopped;
    if (still_starting) return;
    const bool succeeded = facts && facts->over && facts->succeeded;
    if (role.chief || task == leader) chief_succeeded = succeeded;
    const bool tolerates = role.on_failure == jobspec::OnFailure::kTolerate;
    const bool failed = folded.state == TaskState::kFailed || folded.state == TaskState::kLost;
    tolerant += tolerates;
    if (failed && !FailsTheJob(task)) {
      tolerated += tolerates;
      ignored += !tolerates;
    } else if (!succeeded && MayOutlive(role)) {
      const bool service = role.outlive->then == jobspec::Outlive::Then::kService;
      world_.Reach(service ? Situation::kOutlivedService : Situation::kOutlivedIgnored);
    } else if (!succeeded) {
      missing = Name(task);
    }
  });
  if (chief_succeeded) {
    world_.Reach(Situation::kChiefEnded);
    return;
  }
  if (has_chief) missing = "the chief";
  if (!missing.empty())
    world_.Violate("A job succeeds only if its workers or its chief have succeeded", missing + " has not");
  if (tolerant > 0 && tolerated == tolerant)
    world_.Violate("A job fails if all tolerated tasks have failed", "all have failed");
  if (tolerated > 0) world_.Reach(Situation::kFailureTolerated);
  if (ignored > 0) world_.Reach(Situation::kFailureIgnored);
}

void Checker::CheckFailure(const core::FinishJob& finish) {
  if (finish.exit_code == kExitUnavailable) {
    world_.Reach(Situation::kFailedWithExitThree);
    if (facts_.refused()) return;
    world_.Reach(Situation::kGangTimedOut);
    if (workload_.spec.timeouts.gang >= kLongGang) {
      world_.Violate("A gang that fits is complete once faults have stopped", fold_.reason());
    }
    return;
  }
  if (facts_.refused() || RanTooLong()) return;
  const bool lost = lost_a_container_ || !given_up_.empty();
  if (!lost && world_.clocks_agree() && !FailedPermanently())
    world_.Violate("A job fails only because of a failure without a restart left", fold_.reason());
  if (!lost && world_.clocks_agree()) CheckReason();
}

// Whether some failure fails the job and has no restart left, or all tasks with tolerated failures have failed.
bool Checker::FailedPermanently() const {
  bool counts = false;
  int tolerant = 0, tolerated = 0;
  ForEachTask([&](TaskId task, const FoldedTask&) {
    const jobspec::RoleSpec& role = Role(task.role);
    if (role.kind == RoleKind::kSidecar) return;
    const TaskFacts* facts = facts_.Find(task);
    const bool left = facts && facts->final && FailsTheJob(task) && facts->charged < role.restart.max;
    if (left) world_.Reach(Situation::kFinalByRule);
    const bool spent = facts && (workload_.spec.restart_max > 0 || facts->charged >= role.restart.max);
    const bool failed = facts && facts->failed && (facts->final || (spent && !facts->free));
    if (role.on_failure == jobspec::OnFailure::kTolerate) {
      ++tolerant;
      tolerated += failed;
    } else if (FailsTheJob(task)) {
      counts = counts || failed;
    }
  });
  return counts || (tolerant > 0 && tolerated == tolerant);
}

// Checks that the recorded cause is a failure that the core has received, and that no earlier failure had already
// failed the job.
void Checker::CheckReason() {
  const std::string& reason = fold_.reason();
  const auto& cause = fold_.cause();
  const auto is_cause = [&](const OwnFailure& f) {
    const auto kind = f.hung          ? core::Cause::Kind::kHung
                      : f.how.empty() ? core::Cause::Kind::kNotStarted
                                      : core::Cause::Kind::kExit;
    return f.received && *cause == core::Cause{kind, Role(f.task.role).name, f.task.index, f.attempt};
  };
  const auto& failures = truth_.failures();
  const auto named = cause ? std::find_if(failures.rbegin(), failures.rend(), is_cause) : failures.rend();
  if (named == failures.rend()) {
    world_.Violate("The cause of the end is a failure that the core has received", "“" + reason + "”");
    return;
  }
  for (const OwnFailure& failure : failures) {
    if (!failure.received || !CameFirst(failure, *named) || !IsPermanent(failure)) continue;
    world_.Violate("The reason names the first failure in time",
                   "“" + reason + "” but before it was " + Name(failure.task) + ", " + failure.how);
  }
}

// Whether the failure fails the job, and caused no restart.
bool Checker::IsPermanent(const OwnFailure& failure) const {
  const jobspec::RoleSpec& role = Role(failure.task.role);
  const TaskFacts* facts = facts_.Find(failure.task);
  if (!FailsTheJob(failure.task)) return false;
  if (failure.final || facts->free) return failure.final && facts->attempt == failure.attempt;
  // The first failure of the ranked tasks decides whether all of them restart.
  if (Ranked(failure.task.role)) {
    if (failure.generation < charged_generation_) return false;  // the restart of the ranked tasks was already due
    const OwnFailure* first = FirstOfRanked(failure.generation);
    if (first != &failure && !IsPermanent(*first)) return false;
  }
  return workload_.spec.restart_max == 0 && facts->attempt == failure.attempt && facts->charged >= role.restart.max;
}

}  // namespace howdah::testing::sim
