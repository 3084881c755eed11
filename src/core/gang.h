// Policy: who may start when, and when containers are given back.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "howdah/base/time.h"
#include "howdah/jobspec/job_spec.h"
#include "random.h"

namespace howdah::core {

// Whether no task may start before all are registered.
bool StartsTogether(jobspec::StartMode mode, bool needs_whole_cluster);

// How long an incomplete gang may keep what it holds while nothing more comes. Jitter, so that of two jobs that hold
// what the other needs one gives back first.
Duration HoldLimit(Duration hold, Random& random);

// How long what is missing is waited for, and the key that says so.
struct Patience {
  std::optional<Duration> limit;  // none: without limit
  std::string_view key;
};
// preempted: it was taken for others, and comes back when the queue has room for the job again, as at its submission.
Patience PatienceFor(const jobspec::Timeouts& timeouts, bool preempted);

// How long to wait before asking again after the given round (from 1) of giving everything back.
Duration AskAgainIn(int round, Random& random);

// That a role starts only after another one.
struct Awaits {
  int role = 0;
  bool finished = false;  // after its end, not only after its start
};
// By the number of the role that is awaited.
std::vector<Awaits> AwaitedBy(const jobspec::JobSpec& spec, const jobspec::RoleSpec& role);

// By role: the roles whose end it waits for, by itself or because a role does whose start it waits for. Until they have
// ended it can do nothing with containers; then all roles that wait for the same ends are a gang of their own.
std::vector<std::vector<int>> EndsAwaited(const jobspec::JobSpec& spec);

// One role as another one's `after` sees it.
struct Progress {
  int tasks = 0;
  int started = 0;  // have been RUNNING in this generation, or beyond
  int done = 0;
};
struct Awaited {
  Progress progress;
  bool finished = false;  // waits for the end, not only for the start
};
bool Holds(const Awaited& awaited);

}  // namespace howdah::core
