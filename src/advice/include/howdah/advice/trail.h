// The parts of a job's journal that its status lacks: waits, failures, restarts and the speed of tasks.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "howdah/base/exit_status.h"
#include "howdah/core/change.h"

namespace howdah::advice {

// Computed from the entries of one job's journal, in their order. Accepts any entries. Its memory is bounded by the
// number of tasks and by the limits below.
class Trail {
 public:
  static constexpr size_t kMostFailures = 1000, kMostWaits = 100, kMostNodes = 100;

  // A failure of an attempt that was not a consequence of an order to stop.
  struct Failure {
    std::string role;
    int index = 0, attempt = 0;
    std::string node;
    Instant at;
    std::optional<ExitStatus> exit;
    bool lost = false;  // the attempt's container was lost
    std::string reason;
  };
  // A wait before the job ran. Waits whose reasons differ only in numbers are added up.
  struct Wait {
    std::string reason;  // the newest text
    Duration time{};
  };
  // Failures with the same exit status and cause, of any task of a role.
  struct Repeated {
    Failure newest;
    int restarts = 0;  // restarts of a task, and restarts of all ranked tasks together, after such a failure
  };

  struct Avoided {
    std::string reason;
    std::optional<Instant> until;  // nullopt: another version of Howdah wrote the reason
  };

  void Take(const core::JournalEntry& entry);

  // The newest failures.
  const std::vector<Failure>& failures() const { return failures_; }
  int failure_count() const { return failure_count_; }
  // The waits, each with its time until `now` or until the job ran.
  std::vector<Wait> WaitsUntil(Instant now) const;
  // The failures that were followed by a restart, by cause.
  std::vector<Repeated> RepeatedFailures() const;
  // The total running time of the role's failed attempts after which only their own task restarted.
  Duration RepeatedTime(const std::string& role) const;
  // The steps per second of each task, by role: of its newest attempt that reported steps for a minute or longer.
  // Contains only tasks with such an attempt.
  std::map<std::string, std::vector<double>> StepRates() const;
  // The time until `now` for which the role's tasks had a container, added up over the tasks.
  Duration ContainerTime(const std::string& role, Instant now) const;
  // The resources of the role's newest container; nullopt if grants were not recorded.
  std::optional<core::Resources> GrantedTo(const std::string& role) const;
  // The time that a checkpoint takes, and the time between two checkpoints. Both are averages over the attempt that
  // announced most checkpoints. nullopt if no attempt announced two.
  std::optional<Duration> CheckpointCost() const;
  std::optional<Duration> CheckpointInterval() const;
  // The nodes that the job has used.
  const std::set<std::string>& nodes() const { return nodes_; }
  // The nodes that the job avoided, each with the newest sentence about it.
  const std::map<std::string, Avoided>& avoided_nodes() const { return avoided_nodes_; }
  // When the newest step of any task was reported.
  std::optional<Instant> newest_step_at() const { return newest_step_at_; }
  std::optional<Instant> newest_checkpoint_at() const { return newest_checkpoint_at_; }

 private:
  // The announced checkpoints of one attempt since its first report, and their cost.
  struct Saves {
    Instant first_at, last_at;
    int64_t first_count = 0;
    core::CheckpointCost cost;
    int64_t Between() const { return cost.count - first_count; }
  };
  struct Task {
    std::optional<Instant> container_since, started;
    std::optional<int> generation;
    std::string node;
    std::optional<Failure> failure;                 // failure since the last start
    std::optional<core::TaskProgress> first, last;  // reports with a step of the newest attempt
    std::optional<double> earlier_rate;             // steps per second, of the newest earlier attempt with a rate
    std::optional<Saves> saves;                     // announced checkpoints of the newest attempt
    int attempt = -1;
  };
  struct Role {
    std::map<int, Task> tasks;
    Duration container_time{}, repeated_time{};
    std::optional<core::Resources> granted;
  };

  void Take(Instant at, const core::JobChanged& change);
  void Take(Instant at, const core::TaskChanged& change);
  void Take(const core::ContainerChanged& change);
  void TakeFailure(Instant at, const core::TaskChanged& change, Task& task);
  void TakeProgress(const core::TaskProgress& progress, Task& task);
  void EndWait(Instant at);
  const Saves* MostSaves() const;
  static void Release(Role& role, Task& task, Instant at);

  std::map<std::string, Role> roles_;
  std::map<std::string, core::Resources> containers_;  // resources of the containers that are held, by id
  std::vector<Failure> failures_;
  int failure_count_ = 0;
  std::map<std::string, Wait> waits_;  // waits by their reason without numbers
  std::string waiting_for_;            // the reason of the current wait; empty if the job does not wait
  Instant waiting_since_;
  bool ran_ = false;
  std::map<std::string, Repeated> repeated_;                  // failures by role, exit status and cause
  std::map<std::string, std::set<std::string>> restarts_of_;  // counted restarts, by the keys of repeated_
  std::set<std::string> nodes_;
  std::map<std::string, Avoided> avoided_nodes_;
  std::optional<Instant> newest_step_at_, newest_checkpoint_at_;
  std::optional<Saves> most_saves_;  // checkpoints of the earlier attempt that announced most
};

}  // namespace howdah::advice
