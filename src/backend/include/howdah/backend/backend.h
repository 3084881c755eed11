// The AM's interface to a backend, which provides containers. The interface does not mention YARN: heartbeats to a
// scheduler, failover, surplus containers and tokens are the implementation's task.
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

// The longest time that an executor keeps running after the AM has ordered it to exit, so that clients can read the
// rest of its output.
inline constexpr Duration kLingerLimit = std::chrono::seconds(2);

// The job uses these delegation tokens.
struct TokensInUse {
  core::TokensIssued issued;
  std::string for_executors;  // encoded, for executors that were launched with older ones; empty: there are none
};

// The node of the container leaves the cluster, and with it the files of the container's log directory. Reported again
// for the containers that a later AM takes over.
struct LogsEndangered {
  ContainerId container;
};

// The events that a backend reports to the job.
using BackendEvent =
    std::variant<core::ContainerGranted, core::ContainerStarting, core::ContainerExited, core::AmContainerReported,
                 TokensInUse, core::ReclaimAnnounced, core::RequestsDelayed, core::RequestsRefused, LogsEndangered>;

// Receives the reports of a backend; implemented by the AM. All calls are made on the AM's loop thread.
class Sink {
 public:
  virtual ~Sink() = default;
  virtual void OnEvent(const BackendEvent& event) = 0;
  // The backend no longer serves this AM, and another AM may already run. This AM must exit immediately, without any
  // cleanup.
  virtual void OnLost(const Error& error) = 0;
};

// A container that was granted to an earlier AM of the job, and whose end that AM did not record.
struct Inherited {
  ContainerId container;
  int role = 0;
  std::string node;
  std::optional<TaskId> task;  // the task that was launched in the container, or was about to be
  bool node_leaves = false;    // the backend has reported core::ReclaimAnnounced because its node leaves the cluster
};

// The backend of one job. Used on the AM's loop thread only.
class Backend {
 public:
  virtual ~Backend() = default;
  // Called before all other functions if this AM resumes the job of an earlier AM. The backend takes over each of these
  // containers, or reports core::ContainerExited for it. It releases all other containers of the job, and reports the
  // grant and the exit of each. am_attempt: the number of this AM attempt, higher than that of every earlier one.
  virtual void Inherit(const std::vector<Inherited>& containers, int am_attempt) = 0;
  virtual void Request(const core::RequestContainers& request) = 0;
  virtual void CancelRequests() = 0;
  // Starts `howdah-agent task` in the container, unless it is already running there.
  virtual void Launch(const ContainerId& container, const TaskId& task) = 0;
  // Carries out core::AvoidNode. Does nothing in a backend with a single node.
  virtual void Avoid(const std::string& node, Duration limit) = 0;
  // Called when the executor of the container has connected. The backend then stops reporting the progress of the
  // container's start.
  virtual void Connected(const ContainerId& container) = 0;
  // Releases the container. Its executor, if one runs, exits as soon as its output has been read and its files are
  // stored; the core orders Kill if this takes too long. core::ContainerExited follows.
  virtual void Release(const ContainerId& container) = 0;
  // Called when the executor of a released container exits, after all processes of its task have ended. A backend whose
  // cluster may report the end of containers late then reports core::ContainerExited without the cluster's report.
  virtual void Left(const ContainerId& container) = 0;
  virtual void Kill(const ContainerId& container) = 0;
  struct ReplacedTokens {
    Instant until;          // the end of the job's tokens
    bool replaced = false;  // false: the present ones live at least as long, and stay
  };
  // Replaces the job's delegation tokens by newer ones, in the form in which this backend's clients encode them, and
  // reports TokensInUse. Returns kUnavailable if jobs of this backend have no tokens.
  virtual Result<ReplacedTokens> ReplaceTokens(const std::string& tokens) = 0;
  // Removes the job's temporary data from the backend (staging, working directories, leases), and reports the outcome
  // to the cluster if there is one. Called once, when the job holds no container any more and before clients can see
  // the final state. final: the final state. journal: the whole text of the journal, including the line of the final
  // state.
  virtual void Finish(const core::JobChanged& final, const std::string& journal) = 0;
};

}  // namespace howdah::backend
