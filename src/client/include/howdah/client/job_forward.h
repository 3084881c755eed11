// A port here that leads into a job, for as long as somebody wants it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "howdah/backend/cluster.h"
#include "howdah/rpc/streams/port_forward.h"

namespace howdah::cli {

// A port here that leads into a job, whichever application master the job has by then. One thread.
class JobForward {
 public:
  // listen: the port here, 0: one that is free. say: told why a connection could not be made, on another thread.
  static Result<JobForward> Start(backend::Cluster& place, const JobId& id, const rpc::streams::Target& target,
                                  int listen, std::function<void(const std::string& line)> say);
  // To be called as the job's status changes.
  void OnStatus(const journal::JobView& view);
  std::string address() const;  // "http://127.0.0.1:PORT/"

 private:
  JobForward(backend::Cluster& place, JobId id, std::unique_ptr<rpc::streams::PortForward> forward)
      : place_(&place), id_(std::move(id)), forward_(std::move(forward)) {}

  backend::Cluster* place_;
  JobId id_;
  std::unique_ptr<rpc::streams::PortForward> forward_;
  int am_attempt_ = -1;
};

// Listens, prints the address (url: what to make of its "http://127.0.0.1:PORT/"; empty: that) and serves until Ctrl-C,
// SIGTERM or the job's end. The exit code of the command.
int ServeForward(backend::Cluster& place, const JobId& id, const rpc::streams::Target& target, int listen,
                 const std::function<std::string(const std::string& address)>& url);

}  // namespace howdah::cli
