// A container that was granted and is not gone yet. Only Containers changes it.
#pragma once

#include <optional>
#include <string>

#include "howdah/base/ids.h"
#include "howdah/base/time.h"
#include "howdah/core/change.h"
#include "timers.h"

namespace howdah::core {

class Task;

class Container {
 public:
  enum class Phase {
    kHeld,       // granted; nothing runs in it
    kLaunched,   // its executor was started
    kConnected,  // its executor has registered
    kReleased,   // told to exit; it belongs to no task any more
    kKilled,     // killed; its task, if it still has one, waits until it is gone
  };

  const ContainerId& id() const { return id_; }
  const std::string& node() const { return node_; }
  Phase phase() const { return phase_; }
  bool is(Phase phase) const { return phase_ == phase; }
  Task* task() const { return task_; }
  // While it is launched: what the backend reports of its start-up.
  const std::string& startup_stage() const { return startup_stage_; }
  // An attempt runs in it that an earlier AM started without recording it.
  bool orphaned() const { return orphaned_; }
  // The backend wants it back: it is released when its attempt has ended.
  bool reclaimed() const { return reclaimed_; }
  Instant last_heard() const { return last_heard_; }
  const std::optional<Instant>& disconnected() const { return disconnected_; }
  // Of its task: the newest sample.
  const std::optional<Usage>& usage() const { return usage_; }

 private:
  friend class Containers;

  ContainerId id_;
  int index_ = 0;  // in Containers
  std::string node_;
  Phase phase_ = Phase::kHeld;
  Task* task_ = nullptr;
  std::string startup_stage_;
  bool orphaned_ = false, reclaimed_ = false;
  Instant last_heard_;
  std::optional<Instant> disconnected_;
  std::optional<Usage> usage_;
  Timer timer_;  // until it must have registered, sent a heartbeat, or be gone
};

}  // namespace howdah::core
