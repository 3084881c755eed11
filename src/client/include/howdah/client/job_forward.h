// Forwards a local port into a job.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "howdah/backend/cluster.h"
#include "howdah/rpc/streams/port_forward.h"

namespace howdah::client {

// Forwarding continues when the job gets a new application master. Not thread-safe.
class JobForward {
 public:
  // `listen` is the local port; 0 selects any free one. `on_problem` receives, on another thread, the reason why a
  // connection failed.
  static Result<JobForward> Start(backend::Cluster& cluster, const JobId& id, const rpc::streams::Target& target,
                                  int listen, std::function<void(const std::string& line)> on_problem);
  // Must be called when the job's status changes.
  void OnStatus(const journal::JobView& view);
  std::string address() const;  // "http://127.0.0.1:PORT/"

 private:
  JobForward(backend::Cluster& cluster, JobId id, std::unique_ptr<rpc::streams::PortForward> forward)
      : cluster_(&cluster), id_(std::move(id)), forward_(std::move(forward)) {}

  backend::Cluster* cluster_;
  JobId id_;
  std::unique_ptr<rpc::streams::PortForward> forward_;
  int am_attempt_ = -1;
};

}  // namespace howdah::client
