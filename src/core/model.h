// What the core knows of a job: its roles, tasks and containers, and counts over them.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <queue>
#include <string>
#include <vector>

#include "gang.h"
#include "howdah/base/exit_status.h"
#include "howdah/base/ids.h"
#include "howdah/base/time.h"
#include "howdah/core/states.h"
#include "howdah/jobspec/job_spec.h"
#include "pace.h"
#include "reason.h"
#include "timers.h"

namespace howdah::core {

struct Task;

// One that was granted and has not gone yet.
struct Container {
  enum class Phase {
    kHeld,       // granted; nothing runs in it
    kLaunched,   // its executor was started
    kConnected,  // its executor registered
    kReleased,   // told to go, belongs to no task any more
    kKilled,     // killed; its task, if it still has one, waits for it to be gone
  };
  ContainerId id;
  int slot = 0;
  std::string node;
  Phase phase = Phase::kHeld;
  Task* task = nullptr;
  std::string startup_stage;  // while launched: what the place says of its start
  bool ahead = false;         // something runs in it that an AM ordered of which this one does not know
  bool unwanted = false;      // the place wants it back: it goes when its attempt has ended
  Instant launched;
  Instant last_heard;
  std::optional<Instant> disconnected;
  Timer timer;  // until it must have registered, been heard of, or gone
};

// Counts over tasks; every task adds its own (CountsOf).
struct Tally {
  int tasks = 0;         // members, without those that leave
  int lacking = 0;       // want a container and have none
  int unregistered = 0;  // not done, and their executor is not connected
  int started = 0;       // have been RUNNING in this generation, or are done
  int done = 0;          // ended, and not to be started again
  int succeeded = 0;     // done, SUCCEEDED
  int failed = 0;        // done, FAILED or LOST
  int open = 0;          // with an attempt of which something may still run
  int arrived = 0;       // of these: its processes have come to where they meet, or are done
  int joined = 0;        // and would go on in another world
  int waiting = 0;       // and wait for their place in the next
  int hanging = 0;       // have shown no sign of life
  int64_t budget = 0;    // restarts left
  // Of tasks that are no members (none of those above but `open`):
  int spare = 0;      // want a container and have none
  int coming = 0;     // have one, and no executor is connected yet
  int newcomers = 0;  // are READY to join
  friend bool operator==(const Tally&, const Tally&) = default;
  void Add(const Tally& other, int sign);
};

struct Task {
  enum class Run { kNone, kStarting, kRunning };
  // How far the attempt is with meeting the others (RendezvousReported).
  enum class Meeting { kNone, kReady, kJoined, kRejoining };

  TaskId id;
  bool ranked = false;
  // It belongs to the world: the job waits for it, and ranks count it. An elastic role has other tasks too, for which
  // containers are asked; those are not in the journal before they have one.
  bool member = true;
  int place = 0;  // among the members of its role: its index in the cluster that tasks are sent
  TaskState state = TaskState::kPending;
  int attempt = 0;
  bool attempt_used = false;  // it was started under this number
  int generation = 0;         // in which it was started last
  Container* container = nullptr;
  std::string node;         // of its container, or of the last one
  int launch_failures = 0;  // in a row: containers that were lost before a start
  // How often it was excused for what may be its own doing all the same: a silent executor (its node or network may be
  // the reason, or we), a broken GPU. One that makes its nodes useless time and again is stopped in the end.
  int pardons = 0;
  static constexpr int kPardons = 5;

  // The attempt: valid from its start to the next one's.
  Run run = Run::kNone;
  Meeting meeting = Meeting::kNone;
  std::string stands;        // where its processes stood when it hung, or was stopped because others did
  int world = 0;             // the generation whose world it is in
  std::vector<bool> exited;  // by local rank
  int ranks_left = 0;
  int clean_ranks = 0;  // ended with 0 by themselves
  std::optional<Instant> started;
  Instant last_exit;
  std::optional<ExitStatus> exit;
  std::optional<Failure> failure;  // only of what failed by itself; the first in time
  std::optional<TaskProgress> progress;
  Pace pace;
  int progress_entries = 0;  // that the journal has of it
  Instant next_progress_entry;
  std::optional<Instant> stop_at;  // when it was told to stop
  Duration stop_grace{};           // that it was told first
  Instant stop_due;                // when SIGKILL ends the stop
  Instant stop_limit;              // and the latest that this may become

  bool done = false;
  bool leaving = false;  // scaled away
  bool removed = false;  // has left
  bool has_started = false;
  bool backing_off = false;
  int paid = 0;           // restarts used of its budget
  int forgiven = 0;       // restarts that cost none, and followed failures of its own processes
  Timer timer;            // until the pause before a restart is over, or the attempt must have ended
  bool taken = false;     // its last container was taken for others
  Instant missing_since;  // when it began to wait for another container
  Timer missing;          // until that has lasted too long
  bool overdue = false;   // it has, and the job could not go on without it
  Tally counted;          // what it last added to the counts

  bool connected() const { return container != nullptr && container->phase == Container::Phase::kConnected; }
  // It runs, and so does every process of it.
  bool whole() const {
    return run != Run::kNone && ranks_left == static_cast<int>(exited.size()) && !failure && !stop_at && connected();
  }
  bool clean() const { return ranks_left == 0 && clean_ranks == static_cast<int>(exited.size()); }
};

Tally CountsOf(const Task& task, int restart_max);

// What outlasts a task that leaves: it may come back.
struct Past {
  int next_attempt = 0;  // no attempt's number comes twice
  int paid = 0, forgiven = 0, pardons = 0;
};

struct Role {
  jobspec::RoleKind kind =
      jobspec::RoleKind::kWorker;  // the job file's, or a sidecar once it has outlived others too long
  bool ranked = false;
  bool directs = false;  // see FrameworkRules
  int size = 0;          // as it is wanted now: tasks that do not leave
  // References to tasks stay valid while the role grows and shrinks at its end.
  std::deque<Task> tasks;
  std::vector<Past> past;  // by index, of tasks that left too
  std::vector<Awaits> after;
  std::vector<int> ends;      // roles whose end it waits for, before it asks for containers
  bool open = false;          // they have ended
  bool fills = false;         // its gang is being asked for: what is granted is not launched yet
  bool gathers = false;       // its gang has not come together yet: none of it starts
  std::vector<int> outlives;  // roles that it may go on after, for a while
  Timer outlive_timer;
  Tally tally;
  int asked = 0;  // containers asked for and not granted
  // Members that want a container, and others. May hold stale or repeated entries: who takes one checks.
  std::priority_queue<int, std::vector<int>, std::greater<>> lacking, spare;
  std::vector<int> ready;       // registered, to be started as soon as the role may
  std::optional<int> scale_to;  // wanted while an earlier scaling is still under way
  std::string scale_by;
};

}  // namespace howdah::core
