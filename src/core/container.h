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
    kReleased,   // its executor was asked to exit; the container no longer belongs to a task
    kKilled,     // the backend was ordered to kill it; its task, if it has one, waits until it is gone
  };

  const ContainerId& id() const { return id_; }
  const std::string& node() const { return node_; }
  // Whether the journal contains the grant.
  bool recorded() const { return recorded_; }
  Phase phase() const { return phase_; }
  bool is(Phase phase) const { return phase_ == phase; }
  Task* task() const { return task_; }
  // The startup stage that the backend reports while the container is launched.
  const std::string& startup_stage() const { return startup_stage_; }
  // An orphaned attempt runs in the container: an earlier AM started it without recording that.
  bool orphaned() const { return orphaned_; }
  // The backend wants the container back. The core releases it when its attempt has ended.
  bool reclaimed() const { return reclaimed_; }
  // Its executor was ordered to exit, by this AM or an earlier one, and stores files of its task first.
  bool storing() const { return storing_; }
  Instant last_heard() const { return last_heard_; }
  const std::optional<Instant>& disconnected() const { return disconnected_; }
  // The newest usage sample of the container's task.
  const std::optional<Usage>& usage() const { return usage_; }

  void SetStartupStage(std::string stage) { startup_stage_ = std::move(stage); }
  void MarkOrphaned() { orphaned_ = true; }
  void MarkReclaimed() { reclaimed_ = true; }
  void SetUsage(const Usage& usage) { usage_ = usage; }

 private:
  friend class Containers;

  ContainerId id_;
  int index_ = 0;  // the index in Containers
  std::string node_;
  Phase phase_ = Phase::kHeld;
  Task* task_ = nullptr;
  std::string startup_stage_;
  bool recorded_ = false, orphaned_ = false, reclaimed_ = false;
  Instant last_heard_;
  std::optional<Instant> disconnected_;
  std::optional<Usage> usage_;
  Timer timer_;  // the time limit for the registration, the next heartbeat, or the end of the container
  bool storing_ = false;
  bool replaced_ = false;  // as in ReleaseContainer
};

}  // namespace howdah::core
