// What the AM asks of whoever owns machines. No word of YARN here: heartbeats to a scheduler, fail-over,
// over-allocation and tokens live inside an implementation.
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

// How long an executor that was told to leave may stay to let its output be read.
inline constexpr Duration kLingerLimit = std::chrono::seconds(2);

// The events of the job that a backend reports.
using BackendEvent = std::variant<core::ContainerGranted, core::ContainerStarting, core::ContainerExited,
                                  core::ReclaimAnnounced, core::RequestsDelayed, core::RequestsRefused>;

// The AM, as a backend reports to it. Called on the AM's loop thread.
class Sink {
 public:
  virtual ~Sink() = default;
  virtual void OnEvent(const BackendEvent& event) = 0;
  // The backend has given up this AM, and another one may run already: it must exit at once, and clean up nothing.
  virtual void OnLost(const Error& error) = 0;
};

// A container that an AM before this one was granted, and that had not ended as far as that one knew.
struct Inherited {
  ContainerId container;
  int role = 0;
  std::string node;
  std::optional<TaskId> task;  // what was launched in it, or was about to be
};

// One job's dealings with a place. One thread: the AM's loop.
class Backend {
 public:
  virtual ~Backend() = default;
  // Called first, by an AM that resumes another one's job, with the containers of that one: each is held from now on,
  // or core::ContainerExited comes. What the place has besides is given back. am_attempt: of the AM, higher than any
  // before.
  virtual void Inherit(const std::vector<Inherited>& containers, int am_attempt) = 0;
  virtual void Request(const core::RequestContainers& request) = 0;
  virtual void CancelRequests() = 0;
  // Starts `howdah-agent task` in the container for the task, unless it runs already.
  virtual void Launch(const ContainerId& container, const TaskId& task) = 0;
  // As core::AvoidNode; a place without other nodes does nothing.
  virtual void Avoid(const std::string& node, Duration limit) = 0;
  // Its executor has connected: how far its start has come is of no interest any more.
  virtual void Connected(const ContainerId& container) = 0;
  // Gives the container back; kills what runs in it after a short while, but not within kLingerLimit: the executor goes
  // by itself as soon as nobody wants its output any more. Answered by core::ContainerExited.
  virtual void Release(const ContainerId& container) = 0;
  virtual void Kill(const ContainerId& container) = 0;
  // Writes the job's history where the job file's `history` says, for tools that read it there; nothing if it says
  // nothing. Called once, before Finish, with the journal as Finish gets it. The job's outcome does not depend on it:
  // an error becomes part of its advice.
  virtual Status WriteHistory(const std::string& journal) = 0;
  // Removes what the job has left on the place: staging, working directories, what it held; and tells the place how the
  // job ended, where it wants to know. Called once, when no container is held any more and before the final state is
  // visible to anybody. final: that state; journal: all of its text, the line of the final state included.
  virtual void Finish(const core::JobChanged& final, const std::string& journal) = 0;
};

}  // namespace howdah::backend
