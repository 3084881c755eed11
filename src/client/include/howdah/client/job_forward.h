// A local port that leads into a job.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "howdah/backend/cluster.h"
#include "howdah/rpc/streams/port_forward.h"

namespace howdah::client {

// The port keeps working when the job gets a new application master. One thread.
class JobForward {
 public:
  // listen: the local port; 0: any free one. on_problem: receives, on another thread, why a connection failed.
  static Result<JobForward> Start(backend::Cluster& cluster, const JobId& id, const rpc::streams::Target& target,
                                  int listen, std::function<void(const std::string& line)> on_problem);
  // To be called when the job's status changes.
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
