// The queue of a backend: its running and waiting jobs. Plain values.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "howdah/base/ids.h"
#include "howdah/base/time.h"

namespace howdah::backend {

struct QueuedJob {
  enum class State {
    kRunning,
    kNext,          // requests its gang, or may do so
    kWaiting,       // requests nothing, because of the jobs ahead
    kBackfilled,    // uses room that is reserved for a job ahead
    kBeforeAm,      // its application master has not been started
    kSteppedAside,  // its application master has given its container to a job ahead
  };
  JobId id;
  std::string name, user, queue;  // empty: not known, or the backend has no queues
  int priority = 0;
  Instant submitted;
  struct Needs {  // equal containers
    int64_t count = 1;
    int64_t memory_bytes = 0, vcores = 0, gpus = 0;
    std::map<std::string, int64_t> others = {};  // by type
  };
  std::vector<Needs> needs;           // the containers that the job still needs to start
  Needs held;                         // the sum of all its containers; count: their number
  std::string needs_text, held_text;  // for people: "4 × 16 GiB, 1 GPU"
  State state = State::kRunning;
  std::optional<int> position;  // from 1; nullopt: it does not wait
  std::string reason;           // why it waits
};

// Returns the word for users: "running", "before AM", ...
std::string ToText(QueuedJob::State state);

}  // namespace howdah::backend
