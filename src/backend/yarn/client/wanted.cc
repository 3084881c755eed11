#include "wanted.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "howdah/hadoop/yarn/ids.h"

namespace howdah::backend::yarn::client {
namespace {

using autoscale::Wanted;

struct QueuedJob {
  std::string label;
  admission::Job job;
};

// By id.
std::map<std::string, QueuedJob> QueuedJobs(const QueueReports& reports) {
  std::set<std::string> labels;
  for (const auto& report : reports.applications) labels.insert(LabelOf(report));
  std::map<std::string, QueuedJob> jobs;
  for (const std::string& label : labels) {
    for (admission::Job& job : ClusterOf(reports, {.label = label}).jobs) jobs[job.id] = {label, job};
  }
  return jobs;
}

std::vector<const QueuedJob*> WaitingInOrder(const std::map<std::string, QueuedJob>& jobs) {
  std::vector<const QueuedJob*> waiting;
  for (const auto& [id, queued] : jobs) {
    if (queued.job.waits()) waiting.push_back(&queued);
  }
  std::ranges::sort(waiting, [](const auto* a, const auto* b) { return admission::ComesBefore(a->job, b->job); });
  return waiting;
}

// A waiting job with what it still needs.
Wanted WantedBy(const QueuedJob& queued) {
  const admission::Job& job = queued.job;
  Wanted wanted{.id = job.id, .queue = job.queue.substr(job.queue.rfind('.') + 1), .label = queued.label};
  wanted.tasks = job.demand.tasks;
  if (job.am) return wanted;
  wanted.am = job.am_size;
  wanted.tasks.push_back({1, job.am_size});
  return wanted;
}

// Requests do not have the vcores of the tasks if the scheduler does not count them.
bool HaveOneSize(const admission::Tasks& some, const admission::Tasks& others) {
  admission::Resources each = others.each;
  each.vcores = some.each.vcores;
  return some.each == each;
}

// Removes optional tasks from what a job has requested, and from `optional`. missing: tasks of the first gang that have
// no container. They have ended, or are among the requested ones, and then they are needed.
void LeaveOutOptional(std::vector<admission::Tasks>& requested, std::vector<admission::Tasks>& optional,
                      const std::vector<admission::Tasks>& missing) {
  for (admission::Tasks& some : requested) {
    int64_t needed = 0;
    for (const admission::Tasks& others : missing) needed += HaveOneSize(some, others) ? others.count : 0;
    for (admission::Tasks& others : optional) {
      if (!HaveOneSize(some, others)) continue;
      const int64_t left_out = std::clamp<int64_t>(some.count - needed, 0, others.count);
      some.count -= left_out;
      others.count -= left_out;
    }
  }
  std::erase_if(requested, [](const admission::Tasks& some) { return some.count == 0; });
}

}  // namespace

std::vector<Wanted> WantedOf(const QueueReports& reports, const std::vector<LiveApplication>& applications,
                             bool elastic_max) {
  const std::map<std::string, QueuedJob> jobs = QueuedJobs(reports);
  std::vector<Wanted> wanted;
  for (const QueuedJob* queued : WaitingInOrder(jobs)) wanted.push_back(WantedBy(*queued));
  std::map<std::string, std::vector<admission::Tasks>> optional;  // by application
  for (const auto& report : reports.applications) {
    const std::string id = hadoop::yarn::ToText(hadoop::yarn::FromProto(report.applicationid()));
    if (!elastic_max) optional[id] = OptionalTasksOf(report);
  }
  for (const LiveApplication& application : applications) {
    const auto queued = jobs.find(application.id);
    for (Wanted pending : application.pending) {
      std::vector<admission::Tasks> missing;
      if (queued != jobs.end() && queued->second.label == pending.label) {
        if (queued->second.job.waits()) continue;  // its tag has all that it needs of this label
        missing = queued->second.job.demand.tasks;
      }
      LeaveOutOptional(pending.tasks, optional[application.id], missing);
      if (!pending.tasks.empty()) wanted.push_back(std::move(pending));
    }
  }
  return wanted;
}

void ForgetVcores(autoscale::ClusterSeen& seen) {
  for (autoscale::NodeReport& node : seen.nodes) node.used.vcores = 0;
  for (Wanted& wanted : seen.wanted) {
    wanted.am.vcores = 0;
    for (admission::Tasks& tasks : wanted.tasks) tasks.each.vcores = 0;
  }
  for (auto& [label, queues] : seen.queues) {
    for (auto& [name, share] : queues) share.used.vcores = share.used_by_ams.vcores = 0;
  }
}

}  // namespace howdah::backend::yarn::client
