#include "howdah/admission/queue_watch.h"

#include <algorithm>

namespace howdah::admission {
namespace {

using Times = std::map<std::string, Instant>;

// How long the entry for the job has been there.
std::optional<Duration> Age(const Times& times, const std::string& id, Instant now) {
  const auto found = times.find(id);
  return found == times.end() ? std::nullopt : std::optional(now - found->second);
}

bool IsLongerThan(const std::optional<Duration>& age, Duration limit) { return age && *age >= limit; }

}  // namespace

Duration PauseBetweenLooks(size_t waiting_jobs, size_t nodes) {
  using std::chrono::milliseconds;
  constexpr Duration kLeast = std::chrono::seconds(2);
  const Duration for_jobs = milliseconds(50) * static_cast<int64_t>(waiting_jobs);
  const Duration for_nodes = milliseconds(1) * static_cast<int64_t>(nodes / 2);
  return std::max({kLeast, for_jobs, for_nodes});
}

Duration PauseBeforeStep(int attempt) {
  constexpr Duration kFirst = std::chrono::seconds(30), kLongest = std::chrono::minutes(10);
  constexpr int kDoublings = 5;
  if (attempt <= 1) return Duration(0);
  return std::min(kFirst * (1 << std::min(attempt - 2, kDoublings)), kLongest);
}

// A time that is too late would let other jobs use the room of the first one for too long.
Instant QueueWatch::CompleteSince(const Job& job, Instant now) const {
  if (const auto known = complete_.find(job.id); known != complete_.end()) return known->second;
  return waiting_.contains(job.id) ? now : std::min(*job.complete, now);
}

std::vector<Place> QueueWatch::Look(Cluster& cluster, Instant now) {
  Times complete, fits, asked;
  std::set<std::string> waiting;
  for (Job& job : cluster.jobs) {
    if (!job.waits()) {
      job.complete = CompleteSince(job, now);
      complete[job.id] = *job.complete;
      continue;
    }
    waiting.insert(job.id);
    job.is_late = IsLongerThan(Age(fits_, job.id, now), kIsLateAfter);
    const auto age = Age(asked_, job.id, now);
    if (!job.am || !age || *age >= kAskOthersFor) continue;
    asked[job.id] = asked_.at(job.id);
    if (*age >= kStepLimit) job.may_step_aside = false;
  }
  const std::vector<Place> places = Order(cluster, now);
  for (const Place& place : places) {
    if (place.turn == Turn::kStepsAside) asked.try_emplace(place.id, now);
    if (place.turn != Turn::kNext || place.lacks != Resources()) continue;
    fits[place.id] = fits_.contains(place.id) ? fits_.at(place.id) : now;
  }
  complete_ = std::move(complete);
  fits_ = std::move(fits);
  asked_ = std::move(asked);
  waiting_ = std::move(waiting);
  return places;
}

}  // namespace howdah::admission
