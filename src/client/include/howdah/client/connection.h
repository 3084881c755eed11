// The client's connections to backends. A backend is chosen by flag, environment or configuration file, and connected
// on first use.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "howdah/backend/cluster.h"
#include "howdah/base/result.h"
#include "howdah/client/cluster_settings.h"
#include "howdah/client/login_flags.h"
#include "howdah/jobspec/job_spec.h"

namespace howdah::client {

// Makes the client side of a backend from its name ("local", "yarn", or journal::kTonyHistory). Returns kUnavailable if
// the backend cannot be reached.
using ClusterFactory =
    std::function<Result<std::unique_ptr<backend::Cluster>>(const std::string& name, const ClusterSettings& settings)>;

// Not thread-safe.
class Connection {
 public:
  explicit Connection(ClusterFactory make_cluster) : make_cluster_(std::move(make_cluster)) {}

  // Sets the value of --on; "" if the flag is not given. Must be called before the connection is used.
  void SetOn(std::string on) { on_ = std::move(on); }
  // Must be called before the connection is used.
  void SetLogin(LoginFlags login) { login_ = std::move(login); }
  // Uses the keytab of a job file, unless --keytab or --principal was given. Without either, the backend "yarn" uses
  // $HOWDAH_KEYTAB, otherwise the keytab of the configuration file. Must be called before the connection is
  // used.
  void UseKeytab(const jobspec::JobSpec& spec);
  // The value of --on, or "".
  const std::string& on() const { return on_; }
  // The backend named by --on, $HOWDAH_ON or the configuration file; nullopt if none of them names one. Returns kUsage
  // if the named backend is unknown.
  Result<std::optional<std::string>> Chosen() const;
  // The name of the chosen backend, or "local".
  Result<std::string> Backend() const;
  // The backend with that name.
  Result<backend::Cluster*> Cluster();
  // The user as whom the chosen backend runs jobs (Site::User).
  Result<std::string> User();
  // The backend with this name.
  Result<backend::Cluster*> ClusterOn(const std::string& name);
  // Makes further connections to the backend with this name, which are independent of this object. The result may be
  // called on any thread.
  std::function<Result<std::unique_ptr<backend::Cluster>>()> MakerOf(const std::string& name) const;

 private:
  ClusterFactory make_cluster_;
  std::string on_;
  LoginFlags login_;
  std::map<std::string, std::unique_ptr<backend::Cluster>> clusters_;
};

}  // namespace howdah::client
