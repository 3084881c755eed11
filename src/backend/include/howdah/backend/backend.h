// What the AM asks of whoever owns machines. No word of YARN here: heartbeats to a scheduler, fail-over,
// over-allocation and tokens live inside an implementation.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "howdah/base/ids.h"
#include "howdah/base/result.h"
#include "howdah/base/time.h"
#include "howdah/core/action.h"
#include "howdah/core/change.h"

namespace howdah::backend {

// How long an executor that was told to leave may stay to let its output be read.
inline constexpr Duration kLingerLimit = std::chrono::seconds(2);

// What the AM is told. Called on the AM's loop thread.
class Sink {
 public:
  virtual ~Sink() = default;
  virtual void OnGranted(const ContainerId& container, int role, const std::string& node) = 0;
  // Of a container that was launched and in which nothing has connected yet. how_far: as core::ContainerStarting's.
  virtual void OnStarting(const ContainerId& container, const std::string& how_far) = 0;
  // The last of a container. how: as core::ContainerExited::how.
  // excused: its task is not to blame. taken: the place took it for others.
  virtual void OnExited(const ContainerId& container, const std::string& how, bool excused, bool taken) = 0;
  // The place is going to take the container back. why: as core::ReclaimAnnounced's.
  virtual void OnWarned(const ContainerId& container, const std::string& why, bool taken) = 0;
  virtual void OnWaiting(const std::string& reason) = 0;  // empty: waits no more
  virtual void OnRefused(const std::string& reason) = 0;
  // The place has given up this AM (another one may run already): it must end at once, and clean up nothing.
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
  // Called first, by an AM that goes on with the job of another one, with all it held: each is held from now on, or
  // OnExited comes. What the place has besides is given back. am_attempt: of the AM, higher than any before.
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
  // by itself as soon as nobody wants its output any more. Answered by OnExited.
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
