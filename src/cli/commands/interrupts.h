// Waiting for a followed job, the keyboard and the clock at one time.
#pragma once

#include <chrono>
#include <optional>

#include "howdah/backend/cluster.h"
#include "howdah/base/time.h"

namespace howdah::cli {

// Ctrl-C and SIGTERM as something to wait for, from its making to its end; one at a time. Before a job is there to be
// stopped (Arm) a second one ends the process, as it would without us.
class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  void Arm();
  int fd() const;
  // The signal that came; 0: none.
  int Take();
};

enum class Woke { kFollow, kInterrupt, kTime };

// interrupt_fd -1: none. limit: nullopt: none. Interrupts come first.
Woke WaitFor(const backend::Follow& follow, int interrupt_fd, std::optional<Duration> limit);

}  // namespace howdah::cli
