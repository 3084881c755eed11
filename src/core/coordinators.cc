#include "coordinators.h"

#include <algorithm>

#include "units.h"

namespace howdah::core {

Coordinators::Coordinators(Units& units) : context_(units.context), roster_(units.roster), units_(units) {}

bool Coordinators::AllRegistered() const {
  return std::all_of(roster_.roles().begin(), roster_.roles().end(), [this](const Role& role) {
    return !units_.allocation.assembly.IsOpen(role) || role.kind() == jobspec::RoleKind::kSidecar ||
           role.tally().unregistered == 0;
  });
}

// Without checkpoints, a restart would lose all work. In that case, the coordinator continues with the members whose
// addresses it has.
void Coordinators::Report(const Task& task, const std::string& what) {
  const bool any =
      std::any_of(roster_.roles().begin(), roster_.roles().end(), [](const Role& role) { return role.coordinator(); });
  if (!any || context_.spec.checkpoint.dir.empty()) return;
  if (roster_.RoleOf(task).kind() == jobspec::RoleKind::kSidecar) return;
  changes_ += (changes_.empty() ? "" : ", ") + roster_.NameOf(task) + " " + what;
}

void Coordinators::Forget() {
  changes_.clear();
  due_.reset();
  context_.timers.Disarm(JobTimer::kMembership);
}

// Whether to wait for more changes before the restart, for at most timeouts.settle. Each restart loses the work since
// the last checkpoint.
bool Coordinators::MayWait() {
  if (!due_) {
    due_ = context_.now + context_.spec.timeouts.settle;
    context_.timers.Arm(JobTimer::kMembership, *due_);
  }
  return context_.now < *due_;
}

bool Coordinators::MayStart() { return AllRegistered() && (roster_.all().optional.starting == 0 || !MayWait()); }

void Coordinators::Update() {
  if (changes_.empty() || !AllRegistered()) return;
  const Tally::Optional& optional = roster_.all().optional;
  if (optional.starting + optional.pending > 0 && MayWait()) return;
  const Loss loss{changes_, /*infrastructure=*/true};
  Forget();
  roster_.ForEach([&](Task& task) {
    const Attempt& attempt = task.attempt;
    const bool runs = attempt.is_open() && attempt.ranks().left > 0 && !attempt.failure() && !attempt.stop();
    if (!roster_.RoleOf(task).coordinator() || !runs || task.seat.leaving() || units_.phase.Drains(task)) return;
    if (roster_.SpecOf(task).restart.charge_infrastructure) return;
    Failure failure = units_.attempts.FailureOf(task, Cause::Kind::kOutdated, context_.now, loss);
    units_.attempts.NoteFailure(task, std::move(failure));
  });
}

}  // namespace howdah::core
