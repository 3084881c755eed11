#include "howdah/backend/queue_view.h"

#include <algorithm>
#include <tuple>

namespace howdah::backend {
namespace {

constexpr int64_t kMib = int64_t{1} << 20;

QueuedJob::State StateOf(const admission::Job& job, admission::Turn turn) {
  if (!job.am) return job.am_attempts > 1 ? QueuedJob::State::kSteppedAside : QueuedJob::State::kBeforeAm;
  switch (turn) {
    case admission::Turn::kNext:
    case admission::Turn::kFits:
      return QueuedJob::State::kNext;
    case admission::Turn::kBackfills:
      return QueuedJob::State::kBackfilled;
    case admission::Turn::kWaits:
    case admission::Turn::kStepsAside:
    case admission::Turn::kTooLarge:
      break;
  }
  return QueuedJob::State::kWaiting;
}

std::string ReasonOf(const admission::Cluster& cluster, const std::vector<admission::Place>& places,
                     const admission::Place& own) {
  const std::string reason = admission::ReasonText(cluster, places, own.id);
  if (!reason.empty() || own.lacks == admission::Resources()) return reason;
  return "waits for " + admission::ToText(own.lacks);
}

QueuedJob::Needs NeedsOf(const admission::Tasks& tasks) {
  return {tasks.count, tasks.each.memory_mib * kMib, tasks.each.vcores, tasks.each.gpus, tasks.each.others};
}

}  // namespace

QueuedJob QueuedJobOf(const admission::Cluster& cluster, const std::vector<admission::Place>& places,
                      const admission::Job& job) {
  QueuedJob queued;
  queued.id.text = job.id;
  queued.user = job.user;
  queued.queue = job.queue;
  queued.priority = job.priority;
  queued.submitted = job.submitted;
  for (const admission::Tasks& tasks : job.demand.tasks) queued.needs.push_back(NeedsOf(tasks));
  queued.needs_text = admission::ToText(job.demand.tasks);
  const auto own = std::ranges::find_if(places, [&](const admission::Place& place) { return place.id == job.id; });
  if (own == places.end()) return queued;
  queued.position = static_cast<int>(own - places.begin()) + 1;
  queued.state = StateOf(job, own->turn);
  queued.reason = ReasonOf(cluster, places, *own);
  return queued;
}

void SetHeld(QueuedJob& job, const admission::Resources& sum, int64_t containers) {
  job.held = NeedsOf({containers, sum});
  job.held_text = containers == 0 ? "" : admission::ToText(sum);
}

void SortQueue(std::vector<QueuedJob>& jobs) {
  std::sort(jobs.begin(), jobs.end(), [](const QueuedJob& a, const QueuedJob& b) {
    return std::tuple(a.position.value_or(0), a.submitted, a.id.text) <
           std::tuple(b.position.value_or(0), b.submitted, b.id.text);
  });
}

}  // namespace howdah::backend
