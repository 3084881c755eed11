// The client's connection to its backend. A flag, the environment or the configuration file chooses the backend. The
// connection is made on first use.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "howdah/backend/cluster.h"
#include "howdah/base/result.h"

namespace howdah::client {

// Makes the client side of a backend from its name ("local", "yarn"). Returns kUnavailable if the backend cannot be
// reached.
using ClusterFactory = std::function<Result<std::unique_ptr<backend::Cluster>>(const std::string& name)>;

// Not thread-safe.
class Connection {
 public:
  explicit Connection(ClusterFactory make_cluster) : make_cluster_(std::move(make_cluster)) {}

  // Sets the value of --on; "" if the flag is not given. Must be called before the connection is used.
  void SetOn(std::string on) { on_ = std::move(on); }
  // The backend named by --on, $HOWDAH_ON or the configuration file. Returns kUsage if the named backend is unknown.
  Result<backend::Cluster*> Cluster();

 private:
  Result<std::string> BackendName() const;

  ClusterFactory make_cluster_;
  std::string on_;
  std::unique_ptr<backend::Cluster> cluster_;
};

// A job and its backend.
struct Job {
  backend::Cluster* cluster = nullptr;
  JobId id;
};

// Finds the job with this id, or the newest job if the name is "last".
Result<Job> FindJob(Connection& connection, const std::string& name);

}  // namespace howdah::client
