// The states of job and tasks as a reader derives them from the journal, with a check that every transition is
// permitted.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "howdah/core/change.h"

namespace howdah::testing::sim {

struct FoldedTask {
  core::TaskState state = core::TaskState::kPending;
  int attempt = 0;
  std::string container;
  std::string reason;
};

class JournalFold {
 public:
  // Applies the next entry. Returns the rule that the entry breaks, as a sentence; empty if the entry is valid.
  std::string Take(const core::Change& change);

  core::JobState job_state() const { return job_state_; }
  bool stopping() const { return stopping_; }
  int generation() const { return generation_; }
  const std::string& reason() const { return reason_; }
  const std::optional<core::Cause>& cause() const { return cause_; }
  const std::map<std::pair<std::string, int>, FoldedTask>& tasks() const { return tasks_; }
  const FoldedTask* Find(const std::string& role, int index) const;
  int Size(const std::string& role) const;  // the current number of tasks

 private:
  std::string Fold(const core::JobSubmitted& change);
  std::string Fold(const core::JobChanged& change);
  std::string Fold(const core::TaskChanged& change);
  std::string Fold(const core::RoleScaled& change);
  std::string Fold(const core::ContainerChanged& change);
  static std::string Fold(const core::TokensChanged&) { return ""; }

  core::JobState job_state_ = core::JobState::kQueued;
  bool stopping_ = false;
  int generation_ = 0;
  std::string reason_;
  std::optional<core::Cause> cause_;  // the cause of reason_
  std::map<std::pair<std::string, int>, FoldedTask> tasks_;
  std::set<std::string> held_;  // the containers that are held
};

}  // namespace howdah::testing::sim
