// Gang scheduling: decides which tasks start together, and how long an incomplete gang may hold containers.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "howdah/base/time.h"
#include "howdah/core/policy/random.h"
#include "howdah/jobspec/job_spec.h"

namespace howdah::core::policy {

// Whether no task may start before all tasks are registered.
bool StartsTogether(jobspec::StartMode mode, bool needs_whole_cluster);

// How long an incomplete gang may hold its containers while no further container is granted. The result has jitter, so
// that one of two deadlocked jobs releases its containers first.
Duration HoldLimit(Duration hold, Random& random);

// The limit of the wait for missing containers, and the key of the job file that sets it.
struct WaitLimit {
  std::optional<Duration> limit;  // nullopt: no limit
  std::string_view key;
};
// preempted: the missing containers were preempted. The limit is then the same as after the submission, because the job
// waits until its queue has room.
WaitLimit WaitLimitFor(const jobspec::Timeouts& timeouts, bool preempted);

// How long to wait before containers are requested again. `round` (from 1) counts the releases of a partial allocation.
Duration RequestAgainIn(int round, Random& random);

// A role that must have reached a point before another role starts.
struct Dependency {
  enum class Until { kStarted, kServing, kFinished };
  int role = 0;
  Until until = Until::kStarted;
};
// The dependencies of a role, in the order of the job file's roles.
std::vector<Dependency> DependenciesOf(const jobspec::JobSpec& spec, const jobspec::RoleSpec& role);

// By role: the roles that must finish first, directly or through another dependency. Until then the role requests no
// containers, because they would be idle. Roles that wait for the same roles form one gang.
std::vector<std::vector<int>> FinishDependencies(const jobspec::JobSpec& spec);

// The roles whose members form the first gang of the job. Empty if the tasks start one by one.
std::vector<int> FirstGang(const jobspec::JobSpec& spec);

// The progress of the role that a dependency names.
struct RoleProgress {
  int tasks = 0;
  int started = 0;  // tasks that have been RUNNING in this generation, or are done
  int serving = 0;  // tasks whose readiness probe has succeeded, or are done
  int done = 0;
};
bool IsSatisfied(const RoleProgress& progress, Dependency::Until until);

}  // namespace howdah::core::policy
