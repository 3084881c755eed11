// The backend that a client works with: chosen by flag, environment or configuration file, connected on first use.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "howdah/backend/cluster.h"
#include "howdah/base/result.h"

namespace howdah::client {

// Makes the client side of a backend by its name ("local", "yarn"). kUnavailable: it cannot be reached.
using ClusterFactory = std::function<Result<std::unique_ptr<backend::Cluster>>(const std::string& name)>;

// One thread.
class Connection {
 public:
  explicit Connection(ClusterFactory make_cluster) : make_cluster_(std::move(make_cluster)) {}

  // The value of --on; empty: not given. To be called before the first use.
  void SetOn(std::string on) { on_ = std::move(on); }
  // The backend that --on, $HOWDAH_ON or the configuration file names. kUsage: one of them names an unknown backend.
  Result<backend::Cluster*> Cluster();

 private:
  Result<std::string> BackendName() const;

  ClusterFactory make_cluster_;
  std::string on_;
  std::unique_ptr<backend::Cluster> cluster_;
};

// A job and the backend it runs on.
struct Job {
  backend::Cluster* cluster = nullptr;
  JobId id;
};

// The job with this id, or the newest for "last".
Result<Job> FindJob(Connection& connection, const std::string& name);

}  // namespace howdah::client
