#include "scaling.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "units.h"

namespace howdah::core {

Scaling::Scaling(Units& units)
    : context_(units.context),
      roster_(units.roster),
      recorder_(units.recorder),
      units_(units),
      requests_(units.context.spec.roles.size()) {}

void Scaling::On(const ScaleRequested& e) {
  if (units_.phase.ending() || units_.phase.queued()) return;
  const Role* role = roster_.FindRole(e.role);
  if (role == nullptr) return;
  const jobspec::Instances& allowed = role->spec().instances;
  if (!allowed.elastic() || e.instances < allowed.min || e.instances > allowed.max) return;
  requests_[role->number()] = Request{e.instances, e.by};
  ApplyRequests();
}

void Scaling::ApplyRequests() {
  if (units_.phase.draining()) return;
  for (Role& role : roster_.roles()) {
    roster_.Trim(role);
    std::optional<Request>& request = requests_[role.number()];
    const auto leaves = [](const Task& task) { return task.seat.leaving() && !task.seat.removed(); };
    if (!request || std::any_of(role.tasks().begin(), role.tasks().end(), leaves)) continue;
    const Request next = *std::exchange(request, std::nullopt);
    if (next.size != role.size()) Resize(role, next);
  }
}

void Scaling::Resize(Role& role, const Request& request) {
  const int from = role.size(), to = request.size;
  const std::string& name = role.spec().name;
  // Tasks that were ordered to start but do not run yet have received the old size, too.
  const bool begun = roster_.ranked().started > 0 || roster_.ranked().open > 0;
  const bool runs = role.ranked() && begun && !units_.phase.holds() && !units_.allocation.assembly.IsForming(role);
  const int members = role.tally().tasks;
  recorder_.Write(RoleScaled{name, from, to, request.by});
  // An added task becomes a member when it gets a container.
  while (role.size() < to) AddTask(role, /*member=*/false);
  if (role.size() > to) Narrow(role, to);
  units_.ending.Revisit();
  if (!runs || units_.phase.draining() || role.tally().tasks == members) return;
  units_.recovery.DrainRanked(
      {name + " was scaled from " + std::to_string(from) + " to " + std::to_string(to), Cause{Cause::Kind::kScaled}});
}

void Scaling::AddTask(Role& role, bool member) {
  const Task& task = roster_.AddTask(role, member);
  units_.allocation.requests.Want(task);
}

// Tasks without a container leave first, then other optional tasks, then members, each from the highest index down.
void Scaling::Narrow(Role& role, int size) {
  std::vector<Task*> stay;
  for (Task& task : role.tasks()) {
    if (!task.seat.leaving()) stay.push_back(&task);
  }
  std::sort(stay.begin(), stay.end(), [](const Task* a, const Task* b) {
    const auto order = [](const Task* t) { return std::make_tuple(!t->seat.member(), !t->known(), t->id.index); };
    return order(a) < order(b);
  });
  for (; role.size() > size; stay.pop_back()) Leave(*stay.back());
  roster_.Trim(role);
}

void Scaling::Leave(Task& task) {
  roster_.Leave(task);
  if (!task.attempt.is_open()) {
    Remove(task);
  } else if (task.attempt.ranks().left > 0) {
    units_.attempts.Stop(task);
  }
}

void Scaling::Remove(Task& task) {
  const bool known = task.known();
  if (!IsFinal(task.state())) {
    task.Become(TaskState::kStopped);
    if (known) recorder_.Stopped(task);
  }
  units_.allocation.containers.ReleaseFrom(task);
  task.attempt.timer() = task.placement.replacement_timer() = {};
  task.seat.Remove();
  if (known) recorder_.Removed(task);
}

}  // namespace howdah::core
