// The time breakdown of a job: where its wall time went, computed from its journal.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "howdah/core/change.h"

namespace howdah::journal {

// The buckets of wall time. Every moment from the job's submission to its end belongs to exactly one.
enum class Spent {
  kQueue,         // the job waits for containers
  kLocalization,  // all containers are granted; files are fetched, executors start, and working directories are filled
  kStart,         // all executors are connected, the files are there, and no process has been started yet
  kRendezvous,    // processes run, but have not reported a step yet (imports, data, rendezvous)
  kRunning,
  kLost,        // processes ran, but their work since the last checkpoint was lost by a restart or a failure
  kRecovering,  // between two generations
  kCount,
};
std::string_view ToText(Spent what);  // for example "queue"

class TimeBreakdown {
 public:
  // A restart of the job: the reason for the new generation, and the time that the restart cost.
  struct Restart {
    int generation = 0;
    Instant at;
    std::string cause;
    Duration lost{}, recovering{};
  };

  // JobView calls Advance before it applies a journal entry, and the other functions while it applies the entry.
  // reason: JobView::reason at that time.
  // tasks: the number of tasks that wait for containers from the beginning. OnTask gets nullopt for a task that does
  // not exist, and for one that does not wait for a container yet.
  void Begin(Instant submitted, int tasks);
  void Advance(Instant now);
  void OnTask(std::optional<core::TaskState> before, std::optional<core::TaskState> after);
  // An attempt has started. filling: how long its start waited for the files of its working directory.
  void OnStarted(Duration filling);
  // A task was restarted, and its generation continued.
  void OnTaskRestart() { ++task_restart_count_; }
  // rendezvous: the tasks of the job wait for each other before their first step. In plain jobs they do not.
  void OnProgress(const core::TaskProgress& progress, bool rendezvous);
  // An attempt continues in the next generation and still has its work in memory.
  void OnRejoined();
  void OnJob(core::JobState state, int generation, const std::string& reason);

  // Whether all data are missing, because another program (TonY) recorded the job.
  bool empty() const { return !last_; }
  // Returns the time spent until `now`, or until the end of a job that has ended. While no checkpoint has been
  // reported, no time is counted as lost.
  Duration Of(Spent what, Instant now) const;
  // The current activity of the job. Returns nullopt if the job has ended.
  std::optional<Spent> phase() const { return phase_; }
  int restarts() const { return restart_count_; }
  int task_restarts() const { return task_restart_count_; }
  // The newest restarts. Older restarts are dropped.
  const std::vector<Restart>& newest_restarts() const { return restarts_; }

  // Formats "queue 2.1s, localization 1.0s, running 3m12s, lost 12s, recovering 1.1s; 1 restart, plus 3 of single
  // tasks".
  std::string Text(Instant now) const;
  // Converts to a JSON object (null if empty) and back. The JSON has only the values that users see, so journal entries
  // must not be applied to a TimeBreakdown made from JSON.
  std::string ToJson() const;
  static TimeBreakdown FromJson(const std::string& json);

 private:
  // The running time lost when the job last stopped running. A checkpoint that was written in that time, but is
  // reported later, reduces the loss.
  struct Loss {
    Instant from, to;
    Duration before{};  // running time of earlier generations whose work was only in memory
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
  std::array<int, 8> counts_{};  // number of tasks in each state

  core::JobState state_ = core::JobState::kQueued;
  int generation_ = 0;
  bool ran_ = false;
  std::optional<Instant> running_since_;  // the first step of this generation
  bool stepped_ = false;                  // whether this generation has reported a step
  std::optional<Instant> checkpoint_at_;
  bool checkpointed_ = false;
  std::optional<Loss> loss_;
  Duration unsaved_{};  // running time of earlier generations whose work is only in memory, in rejoined tasks
  std::optional<Instant> recovering_since_;
  std::vector<Restart> restarts_;
  int restart_count_ = 0;
  int task_restart_count_ = 0;
};

}  // namespace howdah::journal
