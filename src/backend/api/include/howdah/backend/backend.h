// What the AM asks of whoever owns machines. No word of YARN here: heartbeats to a scheduler, fail-over,
// over-allocation and tokens live inside an implementation.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "howdah/base/ids.h"
#include "howdah/core/action.h"

namespace howdah::backend {

// What the AM is told. Called on the AM's loop thread.
class Sink {
 public:
  virtual ~Sink() = default;
  virtual void OnGranted(const ContainerId& container, int role, const std::string& node) = 0;
  // The last of a container. how: as core::ContainerExited::how.
  virtual void OnExited(const ContainerId& container, const std::string& how) = 0;
  virtual void OnWaiting(const std::string& reason) = 0;  // empty: waits no more
  virtual void OnRefused(const std::string& reason) = 0;
};

// One job's dealings with a place. One thread: the AM's loop.
class Backend {
 public:
  virtual ~Backend() = default;
  virtual void Request(const core::RequestContainers& request) = 0;
  virtual void CancelRequests() = 0;
  // Starts `howdah-agent task` in the container for the task.
  virtual void Launch(const ContainerId& container, const TaskId& task) = 0;
  // Gives the container back; kills what runs in it after a short while. Answered by OnExited.
  virtual void Release(const ContainerId& container) = 0;
  virtual void Kill(const ContainerId& container) = 0;
  // Removes what the job has left on the place: staging, working directories, what it held. Called once, when no
  // container is held any more and before the final state is recorded.
  virtual void Finish() = 0;
};

}  // namespace howdah::backend
