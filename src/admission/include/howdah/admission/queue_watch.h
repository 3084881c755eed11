// The memory of an observer of the queue: facts that follow only from several looks, because the ResourceManager does
// not report them.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "howdah/admission/queue.h"
#include "howdah/base/time.h"

namespace howdah::admission {

// How long a job may lack containers although there is room for them, before Job::is_late.
inline constexpr Duration kIsLateAfter = std::chrono::seconds(30);
// How long the queue waits for an AM to step aside, and then for how long it asks others.
inline constexpr Duration kStepLimit = std::chrono::seconds(10);
inline constexpr Duration kAskOthersFor = std::chrono::minutes(2);

// Returns the pause between two looks at the queue.
Duration PauseBetweenLooks(size_t waiting_jobs, size_t nodes);

// Returns how long an AM waits after its start before it may step aside. attempt: the number of this AM, from 1.
Duration PauseBeforeStep(int attempt);

// Pure: the results depend only on the sequence of looks.
class QueueWatch {
 public:
  // Sets Job::complete of each running job that an earlier look has shown waiting to the time of the look that first
  // showed it running. Job::complete of the others must be the earliest possible time. Sets Job::is_late, and clears
  // Job::may_step_aside of AMs that should have stepped aside and did not. Then decides as Order does.
  std::vector<Place> Look(Cluster& cluster, Instant now);

 private:
  Instant CompleteSince(const Job& job, Instant now) const;

  std::map<std::string, Instant> complete_;
  std::map<std::string, Instant> fits_;   // since when there is room for the next job
  std::map<std::string, Instant> asked_;  // since when an AM is asked to step aside
  std::set<std::string> waiting_;         // the jobs that waited at the last look
};

}  // namespace howdah::admission
