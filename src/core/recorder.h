// The journal: one entry for each thing that users see, and what the job is waiting for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "context.h"
#include "howdah/core/change.h"
#include "howdah/core/event.h"
#include "phase.h"
#include "roster.h"

namespace howdah::core {

class Recorder {
 public:
  Recorder(Context& context, Roster& roster, const Phase& phase) : context_(context), roster_(roster), phase_(phase) {}

  void Write(Change change);

  // --- tasks
  void Created(const Task& task) { Write(Entry(task, TaskChanged::Type::kPending)); }
  // PENDING, ALLOCATED or READY; reason: why it is PENDING again.
  void Placed(const Task& task, std::optional<std::string> reason = std::nullopt);
  void Started(const Task& task, const std::vector<int>& pids);
  void Rejoined(const Task& task);
  void Ended(const Task& task, Instant at);
  void Stopped(const Task& task, std::optional<std::string> reason = std::nullopt);
  void Removed(const Task& task) { Write(Entry(task, TaskChanged::Type::kRemoved)); }
  // Not every report: as rarely as PauseAfterProgress says.
  void Progressed(Task& task);
  void Hung(const Task& task, std::string reason);
  void StackSampled(const Task& task, std::string reason);

  // --- the job
  void AmStarted(const core::AmStarted& e);
  void Resumed(const AmResumed& e, size_t containers);
  void Recovering(const std::string& reason);
  void Running();
  void Advise(JobChanged::Type type, std::string advice);
  void TensorBoard(const TensorBoardReported& e);
  // The advice that readers of the journal see; empty: none.
  const std::string& advice() const { return advice_.empty() ? tensorboard_advice_ : advice_; }

  // --- what the job waits for while it starts or recovers: its own reason, then the backend's
  void WaitFor(std::string reason) { own_wait_ = std::move(reason); }
  void WaitForBackend(std::string reason) { backend_wait_ = std::move(reason); }
  const std::string& backend_wait() const { return backend_wait_; }
  // Writes the reason if it has changed, and the job does wait.
  void Waiting();

 private:
  TaskChanged Entry(const Task& task, TaskChanged::Type type) const;
  // With the generation and the ranks of the task in it.
  TaskChanged EntryWithRanks(const Task& task, TaskChanged::Type type) const;

  Context& context_;
  Roster& roster_;
  const Phase& phase_;
  std::string own_wait_, backend_wait_, recorded_wait_;
  std::string advice_, tensorboard_advice_;  // the second holds while the first is empty
};

}  // namespace howdah::core
