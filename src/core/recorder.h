// Writes the journal: one entry for each change that users see, and the reason when the job waits.
#pragma once

#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "context.h"
#include "failure.h"
#include "howdah/core/change.h"
#include "howdah/core/event.h"
#include "phase.h"
#include "roster.h"

namespace howdah::core {

class Recorder {
 public:
  Recorder(Context& context, Roster& roster, const Phase& phase) : context_(context), roster_(roster), phase_(phase) {}

  // Takes one of the types of Change. Constructs the action in place, because moving a change costs more than
  // constructing one.
  template <typename OneChange>
  void Write(OneChange&& change) {
    static_assert(std::is_rvalue_reference_v<OneChange&&>);
    if constexpr (std::is_same_v<OneChange, JobChanged>) {
      if (change.advice) advice_ = *change.advice;
    }
    context_.actions.emplace_back(std::in_place_type<Record>, std::move(change));
  }

  // --- tasks
  void Created(const Task& task) { Write(Entry(task, TaskChanged::Type::kPending)); }
  // Records that the task is PENDING, ALLOCATED or READY. reason: why it is PENDING again, or its startup stage.
  void Placed(const Task& task, std::optional<std::string> reason = std::nullopt);
  void Started(const Task& task, const TaskStarted& e);
  void Serves(const Task& task);
  void Rejoined(const Task& task);
  void Ended(const Task& task, Instant at);
  void Stopped(const Task& task, std::optional<std::string> reason = std::nullopt);
  void Removed(const Task& task) { Write(Entry(task, TaskChanged::Type::kRemoved)); }
  // Records only some reports, at the intervals that PauseAfterProgress returns.
  void Progressed(Task& task);
  void Hung(const Task& task, std::string reason);
  void StackSampled(const Task& task, std::string reason);

  // --- the job
  void AmStarted(const core::AmStarted& e);
  void Resumed(const AmResumed& e, size_t containers);
  // suffix: how the job recovers; appended to the reason.
  void Recovering(const Reason& why, const std::string& suffix);
  void Running();
  void Advise(JobChanged::Type type, std::string advice);
  void TensorBoard(const TensorBoardReported& e);
  // The advice that readers of the journal see; empty if there is none.
  const std::string& advice() const { return advice_.empty() ? tensorboard_advice_ : advice_; }

  // --- why the job waits while it starts or recovers: the core's reason, then the backend's
  void WaitFor(std::string reason) { own_wait_ = std::move(reason); }
  void WaitForBackend(RequestsDelayed wait) { backend_wait_ = std::move(wait); }
  const RequestsDelayed& backend_wait() const { return backend_wait_; }
  // Records the reason if it has changed and the job is waiting.
  void Waiting();

 private:
  TaskChanged Entry(const Task& task, TaskChanged::Type type) const;
  // Like Entry, with the generation and the task's ranks.
  TaskChanged EntryWithRanks(const Task& task, TaskChanged::Type type) const;

  Context& context_;
  Roster& roster_;
  const Phase& phase_;
  std::string own_wait_, recorded_wait_;
  RequestsDelayed backend_wait_;
  std::string advice_, tensorboard_advice_;  // tensorboard_advice_ applies only while advice_ is empty
};

}  // namespace howdah::core
