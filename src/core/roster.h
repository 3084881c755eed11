// The roles and tasks of a job, and the counts over them.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "context.h"
#include "howdah/base/host_port.h"
#include "howdah/base/ids.h"
#include "howdah/core/job.h"
#include "tally.h"
#include "task.h"

namespace howdah::core {

class Role {
 public:
  size_t number() const { return number_; }
  const jobspec::RoleSpec& spec() const { return *spec_; }
  // The kind in the job file. Becomes kSidecar or kService when the role exceeds its `outlive` limit.
  jobspec::RoleKind kind() const { return kind_; }
  bool ranked() const { return ranked_; }
  bool coordinator() const { return coordinator_; }  // whether its tasks are coordinators (FrameworkRules)
  int size() const { return size_; }                 // the number of tasks, without those that leave
  // References stay valid while the role grows and shrinks at its end.
  std::deque<Task>& tasks() { return tasks_; }
  const std::deque<Task>& tasks() const { return tasks_; }
  const Tally& tally() const { return tally_; }
  bool all_done() const { return tally_.done == tally_.tasks; }

 private:
  friend class Roster;

  size_t number_ = 0;
  const jobspec::RoleSpec* spec_ = nullptr;
  jobspec::RoleKind kind_ = jobspec::RoleKind::kWorker;
  bool ranked_ = false, coordinator_ = false;
  int size_ = 0;
  std::deque<Task> tasks_;
  std::deque<Ledger> ledgers_;       // one ledger per index, including tasks that have left
  std::vector<HostPort> endpoints_;  // the endpoint of each task, by index
  Tally tally_;
};

class Roster {
 public:
  explicit Roster(const Context& context);

  std::deque<Role>& roles() { return roles_; }
  const std::deque<Role>& roles() const { return roles_; }
  Role& RoleOf(const Task& task) { return roles_[static_cast<size_t>(task.id.role)]; }
  const Role& RoleOf(const Task& task) const { return roles_[static_cast<size_t>(task.id.role)]; }
  const jobspec::RoleSpec& SpecOf(const Task& task) const { return RoleOf(task).spec(); }
  std::string NameOf(const Task& task) const;
  Role* FindRole(int role);
  Task* Find(TaskId id);

  const Tally& all() const { return all_; }
  const Tally& ranked() const { return ranked_; }
  const Tally& Of(Scope scope) const { return scope == Scope::kAll ? all_ : ranked_; }
  // The sum over the roles for which `holds` returns true.
  template <typename Holds>
  Tally Sum(Holds holds) const {
    Tally sum;
    for (const Role& role : roles_) {
      if (holds(role)) sum.Add(role.tally_);
    }
    return sum;
  }
  template <typename Visit>
  void ForEach(Visit visit) {
    for (Role& role : roles_) {
      for (Task& task : role.tasks_) visit(task);
    }
  }

  // Adds a task with the lowest free index.
  Task& AddTask(Role& role, bool member);
  // Marks the task as leaving: it no longer counts. Trim() deletes the task when it is removed and has the highest
  // index.
  void Leave(Task& task);
  void Trim(Role& role);
  void ChangeKind(Role& role, jobspec::RoleKind kind) { role.kind_ = kind; }
  void SetFirstAttempt(int number);
  int first_attempt() const { return first_attempt_; }
  // Gives every task its full restart budget again, including tasks that left.
  void ResetBudgets();

  const HostPort& EndpointOf(const Task& task) const;
  void SetEndpoint(const Task& task, const HostPort& endpoint);
  // Valid until the next step.
  const PeerGroup& Peers();
  std::vector<int> RanksOf(const Task& task) const;

  void BeginStep();
  // The task that was changed last in this step; nullptr if none was.
  const Task* last_changed() const { return last_changed_; }
  // Aborts if a sum differs from the sum over its tasks.
  void CheckSums() const;

 private:
  int SlotsOf(const Role& role) const;

  const jobspec::JobSpec& spec_;
  std::deque<Role> roles_;
  Tally all_, ranked_;
  int first_attempt_ = 0;  // the first attempt number of every task; lower numbers belong to earlier AMs
  std::optional<PeerGroup> peers_;
  const Task* last_changed_ = nullptr;
};

}  // namespace howdah::core
