#include "node_jobs.h"

#include <algorithm>
#include <utility>

namespace howdah::portal {

void NodeJobsReader::Begin() {
  view_ = {};
  trail_ = {};
}

void NodeJobsReader::Take(const core::JournalEntry& entry) {
  view_.Apply(entry);
  trail_.Take(entry);
}

void NodeJobsReader::End() {
  const bool has_ended = core::IsFinal(view_.state);
  for (const journal::TaskView& task : view_.tasks) {
    const bool is_there = !has_ended && task.node == node_ && !task.container.empty() && !core::IsFinal(task.state);
    if (!is_there) continue;
    found_.tasks.push_back({view_.id, view_.name, task.role, task.index, task.attempt, task.state, task.started});
  }
  for (const advice::Trail::Failure& failure : trail_.failures()) {
    if (failure.node == node_ && failure.at >= since_) found_.failures.push_back({view_.id, view_.name, failure});
  }
  if (has_ended) return;
  const auto avoided = trail_.avoided_nodes().find(node_);
  if (avoided == trail_.avoided_nodes().end() || avoided->second.until.value_or(now_) < now_) return;
  found_.avoidance.push_back({view_.id, view_.name, avoided->second.reason, avoided->second.until});
}

NodeJobs NodeJobsReader::Result() && {
  std::stable_sort(found_.failures.begin(), found_.failures.end(),
                   [](const auto& a, const auto& b) { return a.failure.at > b.failure.at; });
  if (found_.failures.size() > NodeJobs::kMostFailures) found_.failures.resize(NodeJobs::kMostFailures);
  return std::move(found_);
}

}  // namespace howdah::portal
