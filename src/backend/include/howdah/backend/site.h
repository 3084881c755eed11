// The interface of clients to a backend as a whole: its nodes, its queue of jobs, and its set-up.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "howdah/backend/cluster_info.h"
#include "howdah/backend/job_queue.h"
#include "howdah/base/ids.h"
#include "howdah/base/result.h"

namespace howdah::autoscale {
class ClusterLink;
struct Provider;
struct Publication;
}  // namespace howdah::autoscale

namespace howdah::backend {

// The result of one check of `howdah doctor`.
struct Finding {
  enum class Level { kOk, kWarning, kProblem } level = Level::kOk;
  std::string what, advice;
};

// Single-threaded.
class Site {
 public:
  virtual ~Site() = default;

  // Returns the user as whom the backend runs the jobs of this client. On YARN, the file of tokens, the login or
  // HADOOP_USER_NAME determines it.
  virtual std::string User() = 0;
  // Returns the nodes, the queues, and the applications of all users that the backend shows to this one.
  virtual Result<ClusterInfo> Info() = 0;
  virtual std::vector<Finding> CheckSetup() = 0;

  // Returns the running and waiting jobs of all users whose jobs the backend shows to this one: first those that run,
  // then those that wait, in the order in which they may start.
  virtual Result<std::vector<QueuedJob>> Jobs() = 0;
  // Changes the priority of a job that has not ended. Returns kUnavailable if the backend has a lower maximum.
  virtual Status SetPriority(const JobId& id, int priority) = 0;
  // Moves a job that has not ended to another queue. Returns kUnavailable, with the reason, if the backend refuses.
  virtual Status MoveToQueue(const JobId& id, const std::string& queue) = 0;

  // Returns what the cluster's autoscaler has published; nullptr if this client knows of no autoscaler.
  virtual Result<std::unique_ptr<autoscale::Publication>> Autoscaler() = 0;
  // Opens the link through which an autoscaler reads and changes the cluster. Returns kUsage if the backend has a fixed
  // size. provider: its exclude file, and the demand that counts.
  virtual Result<std::unique_ptr<autoscale::ClusterLink>> OpenLink(const autoscale::Provider& provider) = 0;
};

}  // namespace howdah::backend
