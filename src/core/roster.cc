#include "roster.h"

#include <algorithm>
#include <memory>

#include "howdah/core/ranks.h"
#include "require.h"

namespace howdah::core {

Roster::Roster(const Context& context) : spec_(context.spec), roles_(context.spec.roles.size()) {
  const FrameworkRules& rules = context.rules;
  for (size_t r = 0; r < roles_.size(); ++r) {
    Role& role = roles_[r];
    role.number_ = r;
    role.spec_ = &context.spec.roles[r];
    role.kind_ = role.spec_->kind;
    role.ranked_ = r < rules.restarts_together.size() && rules.restarts_together[r];
    role.coordinator_ = r < rules.coordinators.size() && rules.coordinators[r];
  }
}

std::string Roster::NameOf(const Task& task) const { return task.id.Text(SpecOf(task).name); }

Role* Roster::FindRole(int role) {
  return role >= 0 && static_cast<size_t>(role) < roles_.size() ? &roles_[static_cast<size_t>(role)] : nullptr;
}

Task* Roster::Find(TaskId id) {
  Role* role = FindRole(id.role);
  if (role == nullptr || id.index < 0 || static_cast<size_t>(id.index) >= role->tasks_.size()) return nullptr;
  return &role->tasks_[static_cast<size_t>(id.index)];
}

Task& Roster::AddTask(Role& role, bool member) {
  auto free = role.tasks_.end();
  if (role.tasks_.size() > static_cast<size_t>(role.size_)) {
    free = std::find_if(role.tasks_.begin(), role.tasks_.end(), [](const Task& task) { return task.seat.removed(); });
  }
  const auto index = static_cast<size_t>(free - role.tasks_.begin());
  if (index >= role.ledgers_.size()) role.ledgers_.resize(index + 1, Ledger{.next_attempt = first_attempt_});
  const TaskId id{static_cast<int>(role.number_), static_cast<int>(index)};
  const Task::Sums sums{&role.tally_, role.ranked_ ? &ranked_ : nullptr, &all_, &last_changed_, &role.spec_->restart};
  ++role.size_;
  if (free == role.tasks_.end()) {
    role.tasks_.emplace_back(id, role.ledgers_[index], sums, member);
  } else {
    std::destroy_at(&*free);
    std::construct_at(&*free, id, role.ledgers_[index], sums, member);
  }
  role.endpoints_.resize(role.tasks_.size());
  return role.tasks_[index];
}

void Roster::Leave(Task& task) {
  --RoleOf(task).size_;
  task.seat.Leave();
}

void Roster::Trim(Role& role) {
  while (!role.tasks_.empty() && role.tasks_.back().seat.removed()) {
    if (last_changed_ == &role.tasks_.back()) last_changed_ = nullptr;
    role.tasks_.pop_back();
  }
}

void Roster::SetFirstAttempt(int number) {
  first_attempt_ = number;
  ForEach([number](Task& task) {
    task.ledger.next_attempt = number;
    task.attempt.Renumber(number);
  });
}

void Roster::ResetBudgets() {
  for (Role& role : roles_) {
    for (Ledger& ledger : role.ledgers_) {
      ledger.charged = 0;
      ledger.charged_at.clear();
    }
    for (Task& task : role.tasks_) task.Recount();
  }
}

const HostPort& Roster::EndpointOf(const Task& task) const {
  return RoleOf(task).endpoints_[static_cast<size_t>(task.id.index)];
}

void Roster::SetEndpoint(const Task& task, const HostPort& endpoint) {
  RoleOf(task).endpoints_[static_cast<size_t>(task.id.index)] = endpoint;
}

const PeerGroup& Roster::Peers() {
  if (peers_) return *peers_;
  peers_.emplace(roles_.size());
  for (size_t r = 0; r < roles_.size(); ++r) {
    (*peers_)[r].resize(static_cast<size_t>(SlotsOf(roles_[r])));
    for (const Task& task : roles_[r].tasks_) {
      if (task.seat.stays()) (*peers_)[r][static_cast<size_t>(task.seat.slot())] = EndpointOf(task);
    }
  }
  return *peers_;
}

std::vector<int> Roster::RanksOf(const Task& task) const {
  std::vector<int> sizes;
  for (const Role& role : roles_) sizes.push_back(SlotsOf(role));
  return core::RanksOf(spec_, sizes, {task.id.role, task.seat.slot()});
}

// The number of slots of a role. When a ranked role starts, its slots have no gaps. Tasks of a role that is not ranked
// keep their slots, so there may be gaps.
int Roster::SlotsOf(const Role& role) const {
  if (!role.spec_->instances.elastic()) return role.size_;
  int slots = 0;
  for (const Task& task : role.tasks_) {
    if (task.seat.stays()) slots = std::max(slots, task.seat.slot() + 1);
  }
  return slots;
}

void Roster::BeginStep() {
  last_changed_ = nullptr;
  peers_.reset();
}

void Roster::CheckSums() const {
  Tally all, ranked;
  for (const Role& role : roles_) {
    Tally own;
    int size = 0;
    for (const Task& task : role.tasks_) {
      Require(task.CountedRight(), "a task is counted in a wrong state");
      own.Add(task.counts());
      size += !task.seat.leaving();
    }
    Require(own == role.tally_, "the counts of a role are wrong");
    Require(size == role.size_, "the number of tasks of a role is not the wanted number");
    Require(own.tasks >= role.spec_->instances.min, "a role has fewer members than its min");
    all.Add(own);
    if (role.ranked_) ranked.Add(own);
  }
  Require(all == all_ && ranked == ranked_, "the counts of the job are wrong");
}

}  // namespace howdah::core
