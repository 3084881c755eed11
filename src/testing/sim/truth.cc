#include "truth.h"

#include <algorithm>

#include "text.h"

namespace howdah::testing::sim {

std::optional<jobspec::RestartRule::Then> RuleOf(const Workload& workload, TaskId task,
                                                 const core::Diagnosis& diagnosis) {
  if (!diagnosis.rule) return std::nullopt;
  return workload.spec.roles[static_cast<size_t>(task.role)].restart.rules[static_cast<size_t>(*diagnosis.rule)].then;
}

void Truth::Started(TaskId task, int attempt, int generation) {
  const auto ranked = [this](TaskId t) { return workload_.rules.restarts_together[static_cast<size_t>(t.role)]; };
  for (const Run& run : runs_) {
    // After a clock jump, a core may give up containers that still work.
    if (!world_.clocks_agree()) break;
    const std::string both = TaskName(workload_.spec, task) + " attempt " + std::to_string(attempt) +
                             " started while " + TaskName(workload_.spec, run.task) + " attempt " +
                             std::to_string(run.attempt) + " runs";
    if (run.task == task) world_.Violate("No task runs two attempts at once", both);
    if (ranked(task) && ranked(run.task) && run.generation < generation && !run.waits) {
      world_.Violate("No ranked task starts while one of an older generation runs", both);
    }
  }
  runs_.push_back({task, attempt, generation});
}

Truth::Run* Truth::Find(TaskId task, int attempt) {
  const auto run =
      std::find_if(runs_.begin(), runs_.end(), [&](const Run& r) { return r.task == task && r.attempt == attempt; });
  return run == runs_.end() ? nullptr : &*run;
}

void Truth::Waits(TaskId task, int attempt) {
  if (Run* run = Find(task, attempt)) run->waits = true;
}

void Truth::Rejoined(TaskId task, int attempt, int generation) {
  Run* run = Find(task, attempt);
  if (run == nullptr) return;
  run->waits = false;
  run->generation = generation;
}

void Truth::Ended(TaskId task, int attempt) {
  std::erase_if(runs_, [&](const Run& run) { return run.task == task && run.attempt == attempt; });
}

OwnFailure* Truth::Received(TaskId task, int attempt, bool hung) {
  for (OwnFailure& failure : failures_) {
    if (failure.task == task && failure.attempt == attempt && failure.hung == hung) {
      failure.received = true;
      return &failure;
    }
  }
  return nullptr;
}

std::vector<bool> Truth::received() const {
  std::vector<bool> received;
  for (const OwnFailure& failure : failures_) received.push_back(failure.received);
  return received;
}

void Truth::RestoreReceived(const std::vector<bool>& received) {
  for (size_t i = 0; i < failures_.size(); ++i) failures_[i].received = i < received.size() && received[i];
}

void Truth::Forget(const std::function<int(TaskId)>& newest) {
  std::erase_if(failures_, [&](const OwnFailure& f) { return f.attempt > newest(f.task) && !f.received; });
}

std::string Truth::Running() const {
  std::string text;
  for (const Run& run : runs_) {
    text += (text.empty() ? "" : ", ") + TaskName(workload_.spec, run.task) + " attempt " + std::to_string(run.attempt);
  }
  return text;
}

}  // namespace howdah::testing::sim
