// Counts over tasks. Every task adds its own counts (Task::Recount), so that a decision reads one sum instead of all
// tasks.
#pragma once

#include <cstdint>

namespace howdah::core {

struct Tally {
  // The rendezvous steps of open attempts (RendezvousReported).
  struct Rendezvous {
    int ready = 0;   // members whose processes all wait for their peers or have joined them, and members that are done
    int joined = 0;  // attempts that are connected, and able to continue in another generation
    int rejoining = 0;  // attempts that have left their generation, and wait for their slot in the next one
    friend bool operator==(const Rendezvous&, const Rendezvous&) = default;
  };
  // Tasks of an elastic role that are not members.
  struct Optional {
    int pending = 0;   // need a container and have none
    int starting = 0;  // have a container whose executor is not connected yet
    int joinable = 0;  // registered
    friend bool operator==(const Optional&, const Optional&) = default;
  };
  // Members that do not leave:
  int tasks = 0;
  int pending = 0;       // need a container and have none
  int unregistered = 0;  // not done, without a connected executor
  int started = 0;       // have been RUNNING in this generation, or are done
  int serving = 0;       // have an attempt whose readiness probe has succeeded, or are done
  int done = 0;          // ended, and will not be restarted
  int succeeded = 0;     // done, SUCCEEDED
  int failed = 0;        // done, FAILED or LOST
  int hung = 0;          // have an attempt without activity
  int64_t budget = 0;    // charged restarts left
  // All tasks, members or not:
  int open = 0;  // have an attempt with processes that may still run
  Rendezvous rendezvous;
  Optional optional;

  void Add(const Tally& other) { Replace({}, other); }
  // Replaces one term of this sum.
  void Replace(const Tally& before, const Tally& after);
  friend bool operator==(const Tally&, const Tally&) = default;
};

}  // namespace howdah::core
