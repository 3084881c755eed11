// The time breakdown of a job: where its wall time went, computed from its journal.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "howdah/core/change.h"

namespace howdah::journal {

// Every moment from the job's submission to its end belongs to one of these.
enum class Spent {
  kQueue,         // the job waits for containers
  kLocalization,  // all containers are granted; files are fetched and executors start
  kStart,         // all executors are connected, and no process has been started yet
  kRendezvous,    // processes run and have not reported a step yet (imports, data, finding each other)
  kRunning,
  kLost,        // processes ran, but the work was lost: from the last checkpoint to a restart or a failed end
  kRecovering,  // between two generations
  kCount,
};
std::string_view ToText(Spent what);  // "queue"

class Account {
 public:
  // Why a generation began, and the time that the restart cost.
  struct Restart {
    int generation = 0;
    Instant at;
    std::string cause;
    Duration lost{}, recovering{};
  };

  // JobView calls Advance before it applies a journal entry, and the other functions while it applies the entry.
  // reason: the reason in the view.
  void Begin(Instant submitted, int tasks);
  void Advance(Instant now);
  void OnTask(std::optional<core::TaskState> before, std::optional<core::TaskState> after);
  // A task started again, and its generation went on.
  void OnTaskRestart() { ++task_restart_count_; }
  void OnProgress(const core::TaskProgress& progress);
  // An attempt continues in another generation, with its work still in memory.
  void OnRejoined();
  void OnJob(core::JobState state, int generation, const std::string& reason);

  // Whether nothing is known, because another program recorded the job.
  bool empty() const { return !last_; }
  // The time until `now`, or until the end of a job that has ended. If no checkpoint was ever reported, time that may
  // be lost counts as running.
  Duration Of(Spent what, Instant now) const;
  // The current activity of the job. Returns nullopt if the job has ended.
  std::optional<Spent> phase() const { return phase_; }
  int restarts() const { return restart_count_; }
  int task_restarts() const { return task_restart_count_; }
  // The newest restarts; the oldest are dropped.
  const std::vector<Restart>& newest_restarts() const { return restarts_; }

  // "queue 2.1s, localization 1.0s, running 3m12s, lost 12s, recovering 1.1s; 1 restart, plus 3 of single tasks"
  std::string Text(Instant now) const;
  // Converts to a JSON object (null if empty) and back. The JSON has only the values that users see, so no journal
  // entry can be applied to an Account that was read from it.
  std::string ToJson() const;
  static Account FromJson(const std::string& json);

 private:
  // The latest running time. It is lost unless a checkpoint from that time is reported later.
  struct Loss {
    Instant from, to;
    Duration before{};  // running time of earlier generations with work that was only in memory
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
  Duration unsaved_{};  // running time of earlier generations with work that is only in the memory of rejoined tasks
  std::optional<Instant> recovering_since_;
  std::vector<Restart> restarts_;
  int restart_count_ = 0;
  int task_restart_count_ = 0;
};

}  // namespace howdah::journal
