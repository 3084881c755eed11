#include "requests.h"

#include <algorithm>
#include <utility>

#include "require.h"
#include "units.h"

namespace howdah::core {

Requests::Requests(Units& units)
    : context_(units.context),
      roster_(units.roster),
      assembly_(units.allocation.assembly),
      growth_(units.membership.growth),
      roles_(units.context.spec.roles.size()) {}

void Requests::Want(const Task& task) {
  RoleRequests& role = roles_[static_cast<size_t>(task.id.role)];
  (task.seat.member() ? role.members : role.optional).push(task.id.index);
}

Task* Requests::NextPending(Role& role) {
  RoleRequests& requests = roles_[role.number()];
  for (auto* waiting : {&requests.members, &requests.optional}) {
    while (!waiting->empty()) {
      const auto index = static_cast<size_t>(waiting->top());
      waiting->pop();
      if (index >= role.tasks().size()) continue;
      Task& task = role.tasks()[index];
      const Tally& counts = task.counts();
      if ((waiting == &requests.members ? counts.pending : counts.optional.pending) > 0) return &task;
    }
  }
  return nullptr;
}

Task* Requests::TakeGrant(Role& role) {
  int& requested = roles_[role.number()].requested;
  Task* task = requested > 0 ? NextPending(role) : nullptr;
  if (task != nullptr) --requested;
  return task;
}

// A role with an unfinished finish-dependency requests nothing, so that other jobs can use the containers in the
// meantime. Without a gang, a role that waits for the start of another role requests nothing either: if waiting tasks
// held containers, two jobs could block each other.
bool Requests::MayRequest(const Role& role) const {
  return assembly_.IsOpen(role) && (context_.together || assembly_.DependenciesHold(role));
}

int Requests::WantedBy(const Role& role) const {
  return role.tally().pending + (growth_.MayGrow(role) ? role.tally().optional.pending : 0);
}

void Requests::Update() {
  if (assembly_.paused()) return;
  const bool too_many = std::any_of(roster_.roles().begin(), roster_.roles().end(),
                                    [this](const Role& role) { return of(role) > WantedBy(role); });
  if (too_many) CancelAll();
  std::vector<int> counts;
  for (const Role& role : roster_.roles()) {
    int& requested = roles_[role.number()].requested;
    const int wanted = WantedBy(role);
    if (wanted == requested || !MayRequest(role)) continue;
    counts.resize(roles_.size(), 0);
    counts[role.number()] = wanted - requested;
    requested = wanted;
  }
  if (!counts.empty()) Request(counts);
}

void Requests::CancelAll() {
  context_.Emit(CancelRequests{});
  for (RoleRequests& role : roles_) role.requested = 0;
}

bool Requests::any() const {
  return std::any_of(roles_.begin(), roles_.end(), [](const RoleRequests& role) { return role.requested > 0; });
}

// Requests `counts` more containers, by role. Containers that the job cannot run without are requested first.
void Requests::Request(const std::vector<int>& counts) {
  RequestContainers needed;
  RequestContainers optional{.asks = {}, .optional = true};
  for (const Role& role : roster_.roles()) {
    const int count = counts[role.number()];
    const auto number = static_cast<int>(role.number());
    const int must = std::min(count, role.tally().pending);
    if (must > 0) needed.asks.push_back({number, must});
    if (count > must) optional.asks.push_back({number, count - must});
  }
  needed.together = IsWholeGang(needed);
  if (!needed.asks.empty()) context_.Emit(std::move(needed));
  if (!optional.asks.empty()) context_.Emit(std::move(optional));
}

// Whether the request is for a gang that holds no container yet.
bool Requests::IsWholeGang(const RequestContainers& request) const {
  const Tally gang = assembly_.Assembling();
  return gang.pending == gang.tasks &&
         std::all_of(request.asks.begin(), request.asks.end(), [this](const RequestContainers::Ask& ask) {
           return assembly_.IsAssembling(roster_.roles()[static_cast<size_t>(ask.role)]);
         });
}

void Requests::Resend() {
  std::vector<int> counts;
  for (const RoleRequests& role : roles_) counts.push_back(role.requested);
  Request(counts);
}

void Requests::Check(bool up_to_date) const {
  for (const Role& role : roster_.roles()) {
    Require(assembly_.IsOpen(role) || of(role) == 0, "containers are requested for a role that may not start yet");
    const bool enough = MayRequest(role) ? of(role) == WantedBy(role) : of(role) <= WantedBy(role);
    Require(!up_to_date || enough, "the number of requested containers is not the number of wanted ones");
  }
}

}  // namespace howdah::core
