// The AM's interface to a backend, which provides containers. The interface is independent of YARN: an implementation
// hides heartbeats to a scheduler, failover, over-allocation and tokens.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "howdah/base/ids.h"
#include "howdah/base/result.h"
#include "howdah/base/time.h"
#include "howdah/core/action.h"
#include "howdah/core/change.h"
#include "howdah/core/event.h"

namespace howdah::backend {

// After the AM's order to leave, an executor may stay this long, so that clients can read the rest of its output.
inline constexpr Duration kLingerLimit = std::chrono::seconds(2);

// The events of the job that a backend reports.
using BackendEvent = std::variant<core::ContainerGranted, core::ContainerStarting, core::ContainerExited,
                                  core::ReclaimAnnounced, core::RequestsDelayed, core::RequestsRefused>;

// Receives the reports of a backend; implemented by the AM. Called on the AM's loop thread.
class Sink {
 public:
  virtual ~Sink() = default;
  virtual void OnEvent(const BackendEvent& event) = 0;
  // The backend no longer serves this AM, and another AM may already run. This AM must exit immediately, without any
  // cleanup.
  virtual void OnLost(const Error& error) = 0;
};

// A container that was granted to an earlier AM of the job. That AM had not recorded the end of the container.
struct Inherited {
  ContainerId container;
  int role = 0;
  std::string node;
  std::optional<TaskId> task;  // the task that was launched in it, or was about to be
};

// The backend of one job. Used on the AM's loop thread only.
class Backend {
 public:
  virtual ~Backend() = default;
  // Called first, by an AM that resumes the job of an earlier AM, with the containers of that AM. The backend takes
  // over each container, or reports core::ContainerExited for it. It releases all other containers of the job.
  // am_attempt: the number of this AM attempt, higher than any before.
  virtual void Inherit(const std::vector<Inherited>& containers, int am_attempt) = 0;
  virtual void Request(const core::RequestContainers& request) = 0;
  virtual void CancelRequests() = 0;
  // Starts `howdah-agent task` in the container, unless it already runs there.
  virtual void Launch(const ContainerId& container, const TaskId& task) = 0;
  // Carries out core::AvoidNode. Does nothing in a backend with a single node.
  virtual void Avoid(const std::string& node, Duration limit) = 0;
  // To be called when the executor of the container has connected. The backend then stops reporting the progress of its
  // start.
  virtual void Connected(const ContainerId& container) = 0;
  // Releases the container. The backend kills the processes in it after slightly more than kLingerLimit. Usually the
  // executor exits before, as soon as its output has been read. core::ContainerExited follows.
  virtual void Release(const ContainerId& container) = 0;
  virtual void Kill(const ContainerId& container) = 0;
  // Removes everything that the job has left in the backend (staging, working directories, leases), and reports the
  // outcome to the cluster if there is one. Called once, when no container is held any more and before the final state
  // is visible to clients. final: the final state. journal: its whole text, which includes the line of the final state.
  virtual void Finish(const core::JobChanged& final, const std::string& journal) = 0;
};

}  // namespace howdah::backend
