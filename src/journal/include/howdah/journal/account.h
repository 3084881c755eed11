// Where a job's time went: a fold over its journal.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "howdah/core/change.h"

namespace howdah::journal {

// Every moment from the job's submission to its end belongs to one of these.
enum class Spent {
  kQueue,         // waits for containers
  kLocalization,  // has them; files are fetched and executors start
  kStart,         // all executors are connected, and no process has been started yet
  kRendezvous,    // processes run and have told no step yet (imports, data, finding each other)
  kRunning,
  kLost,        // ran, and had to be done again: since the last checkpoint before a restart or a bad end
  kRecovering,  // between two generations
  kCount,
};
std::string_view ToText(Spent what);  // "queue"

class Account {
 public:
  // Why a generation began, and what that cost.
  struct Restart {
    int generation = 0;
    Instant at;
    std::string cause;
    Duration lost{}, recovering{};
  };

  // The fold: JobView calls Advance before it takes an entry and the others while it does; a reason as the view has it.
  void Begin(Instant submitted, int tasks);
  void Advance(Instant now);
  void OnTask(std::optional<core::TaskState> before, std::optional<core::TaskState> after);
  // It started again, and its generation went on.
  void OnTaskRestart() { ++task_restart_count_; }
  void OnProgress(const core::TaskProgress& progress);
  // An attempt goes on in another world: what it had done is in its memory still.
  void OnRejoined();
  void OnJob(core::JobState state, int generation, const std::string& reason);

  // Nothing is known: the job was recorded by somebody else.
  bool empty() const { return !last_; }
  // Until now; of a job that has ended until its end. Time that may be lost is running if no checkpoint was ever told.
  Duration Of(Spent what, Instant now) const;
  // What the job does now; nullopt: it has ended.
  std::optional<Spent> phase() const { return phase_; }
  bool knows_loss() const { return checkpointed_; }
  int restarts() const { return restart_count_; }
  int task_restarts() const { return task_restart_count_; }
  // The newest ones.
  const std::vector<Restart>& newest_restarts() const { return restarts_; }

  // "queue 2.1s, localization 1.0s, running 3m12s, lost 12s, recovering 1.1s; 1 restart, 3 of single tasks"
  std::string Text(Instant now) const;
  // JSON of an object, null if empty, and back. Only what is shown: no entry can be added to what was read.
  std::string ToJson() const;
  static Account FromJson(const std::string& json);

 private:
  // What ran last and is lost unless a checkpoint of that time comes to be known.
  struct Loss {
    Instant from, to;
    Duration before{};  // of former worlds, that was in memory
    Duration time() const { return to - from + before; }
  };
  Duration& Total(Spent what) { return totals_[static_cast<size_t>(what)]; }
  Duration Stored(Spent what) const { return totals_[static_cast<size_t>(what)]; }
  void Move(Spent from, Spent to, Duration time);
  void StopRunning();
  Spent WhileStarting() const;
  int Count(core::TaskState state) const { return counts_[static_cast<size_t>(state)]; }

  std::array<Duration, static_cast<size_t>(Spent::kCount)> totals_{};
  std::optional<Instant> last_;
  std::optional<Spent> phase_;
  std::array<int, 8> counts_{};  // tasks by state

  core::JobState state_ = core::JobState::kQueued;
  int generation_ = 0;
  bool ran_ = false;
  std::optional<Instant> running_since_;  // in this generation
  bool stepped_ = false;                  // in this generation
  std::optional<Instant> checkpoint_at_;
  bool checkpointed_ = false;
  std::optional<Loss> loss_;
  Duration unsaved_{};  // ran in former worlds, since the last checkpoint: it is in the memory of who goes on
  std::optional<Instant> recovering_since_;
  std::vector<Restart> restarts_;
  int restart_count_ = 0;
  int task_restart_count_ = 0;
};

}  // namespace howdah::journal
