// The time breakdown of a job: where its wall time went, computed from its journal.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "howdah/core/change.h"
#include "howdah/journal/timeline.h"

namespace howdah::journal {

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
  // tasks: the number of tasks that wait for containers from the beginning. OnTask gets nullopt for a task that does
  // not exist, and for one that does not wait for a container yet.
  void Begin(Instant submitted, int tasks);
  void Advance(Instant now);
  void OnTask(std::optional<core::TaskState> before, std::optional<core::TaskState> after);
  // An attempt has started. filling: how long its start waited for the files of its working directory.
  void OnStarted(Duration filling);
  // A task was restarted, and its generation continued.
  void OnTaskRestart() { ++task_restart_count_; }
  // rendezvous: whether the tasks of the job wait for each other before their first step. They do so in all jobs but
  // plain ones.
  void OnProgress(const core::TaskProgress& progress, bool rendezvous);
  // An attempt continues in the next generation and still has its work in memory.
  void OnRejoined();
  // reason: why the job has changed its state; it becomes the cause of a new generation.
  void OnJob(core::JobState state, int generation, const std::string& reason);

  // Whether all data are missing, because another program (TonY) recorded the job.
  bool empty() const { return !last_; }
  // The time of the newest entry so far; it never decreases. Must not be called if empty().
  Instant now() const { return *last_; }
  // Whether lost time is known, because a checkpoint was reported.
  bool checkpointed() const { return checkpointed_; }
  // The buckets over time, from the job's submission or the last DropTimeline until now(). While no checkpoint is
  // reported, Of counts lost time as running, but the timeline contains it as kLost. The buckets of the time before
  // settled() never change.
  const Timeline& timeline() const { return timeline_; }
  Instant settled() const;
  void DropTimeline(Instant before) { timeline_.DropBefore(before); }
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
  void StopRunning();
  Spent WhileStarting() const;
  int Count(core::TaskState state) const { return counts_[static_cast<size_t>(state)]; }

  Timeline timeline_;
  std::optional<Instant> last_;
  std::optional<Spent> phase_;
  std::array<int, 8> counts_{};  // number of tasks in each state

  core::JobState state_ = core::JobState::kQueued;
  int generation_ = 0;
  bool ran_ = false;
  std::optional<Instant> running_since_;  // start of this generation's processes; after the first step: its time
  bool stepped_ = false;                  // whether this generation has reported a step
  std::optional<Instant> checkpoint_at_;
  bool checkpointed_ = false;
  // The running time that was lost when the job last stopped running. The last stretch belongs to the newest
  // generation. The stretches before it belong to earlier generations, whose work was only in memory. A checkpoint that
  // was written in the last stretch, but is reported later, reduces the loss.
  std::optional<Stretches> loss_;
  Stretches unsaved_;  // running time of earlier generations whose work is only in memory, in rejoined tasks
  std::optional<Instant> recovering_since_;
  std::vector<Restart> restarts_;
  int restart_count_ = 0;
  int task_restart_count_ = 0;
};

}  // namespace howdah::journal
