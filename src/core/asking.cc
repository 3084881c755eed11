#include <algorithm>
#include <utility>

#include "job_impl.h"

namespace howdah::core {

Task* Job::Impl::NextLacking(Role& role) {
  for (auto* waiting : {&role.lacking, &role.spare}) {
    while (!waiting->empty()) {
      const size_t index = static_cast<size_t>(waiting->top());
      waiting->pop();
      if (index >= role.tasks.size()) continue;
      Task& task = role.tasks[index];
      if ((waiting == &role.lacking ? task.counted.lacking : task.counted.spare) > 0) return &task;
    }
  }
  return nullptr;
}

void Job::Impl::Want(const Task& task) {
  Role& role = RoleOf(task);
  (task.member ? role.lacking : role.spare).push(task.id.index);
}

// A role that waits for the end of another asks for nothing: a container in which nothing can run is somebody else's.
// Without a gang neither does one that waits for a start: two jobs whose tasks wait for their turn in containers would
// block each other.
bool Job::Impl::MayAsk(const Role& role) const { return role.open && (together_ || AfterHolds(role)); }

int Job::Impl::WantedBy(const Role& role) const { return role.tally.lacking + (MayGrow(role) ? role.tally.spare : 0); }

// Keeps what is asked for equal to what is wanted, of roles that may ask.
void Job::Impl::AskForLacking() {
  if (gave_back_) return;
  const bool too_many =
      std::any_of(roles_.begin(), roles_.end(), [this](const Role& r) { return r.asked > WantedBy(r); });
  if (too_many) {
    actions_.push_back(CancelRequests{});
    for (Role& role : roles_) role.asked = 0;
  }
  std::vector<int> asks(roles_.size(), 0);
  for (size_t r = 0; r < roles_.size(); ++r) {
    Role& role = roles_[r];
    if (!MayAsk(role)) continue;
    asks[r] = WantedBy(role) - role.asked;
    role.asked = WantedBy(role);
  }
  Request(asks);
}

// Asks for so many more of each role: first what the job cannot go on without.
void Job::Impl::Request(const std::vector<int>& asks) {
  RequestContainers needed;
  RequestContainers optional{.asks = {}, .optional = true};
  for (size_t r = 0; r < asks.size(); ++r) {
    const int must = std::min(asks[r], roles_[r].tally.lacking);
    if (must > 0) needed.asks.push_back({static_cast<int>(r), must});
    if (asks[r] > must) optional.asks.push_back({static_cast<int>(r), asks[r] - must});
  }
  needed.together = AsksTogether(needed);
  if (!needed.asks.empty()) actions_.push_back(std::move(needed));
  if (!optional.asks.empty()) actions_.push_back(std::move(optional));
}

// Whether what is asked for is of a gang of which nothing is there yet.
bool Job::Impl::AsksTogether(const RequestContainers& request) const {
  const Tally gang = Filling();
  return gang.lacking == gang.tasks &&
         std::all_of(request.asks.begin(), request.asks.end(),
                     [this](const RequestContainers::Ask& ask) { return roles_[static_cast<size_t>(ask.role)].fills; });
}

// Of an AM that was told what another one had asked for.
void Job::Impl::AskAgain() {
  std::vector<int> asks;
  for (const Role& role : roles_) asks.push_back(role.asked);
  Request(asks);
}

}  // namespace howdah::core
