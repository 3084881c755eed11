// A YARN cluster as a whole.
#pragma once

#include <string>
#include <vector>

#include "howdah/backend/site.h"
#include "howdah/backend/yarn/client/yarn_cluster.h"

namespace howdah::backend::yarn::client {

// Single-threaded.
class YarnSite final : public backend::Site {
 public:
  // Both must live as long as this object.
  YarnSite(const YarnOptions& options, HadoopConnection& connection) : options_(options), connection_(connection) {}

  std::string User() override;
  Result<backend::ClusterInfo> Info() override;
  std::vector<backend::Finding> CheckSetup() override;
  Result<std::vector<backend::QueuedJob>> Jobs() override;
  howdah::Status SetPriority(const JobId& id, int priority) override;
  howdah::Status MoveToQueue(const JobId& id, const std::string& queue) override;
  Result<std::unique_ptr<autoscale::Publication>> Autoscaler() override;
  Result<std::unique_ptr<autoscale::ClusterLink>> OpenLink(const autoscale::Provider& provider) override;

 private:
  const YarnOptions& options_;
  HadoopConnection& connection_;
};

}  // namespace howdah::backend::yarn::client
