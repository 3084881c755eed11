// This machine as a whole.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "howdah/backend/local/layout.h"
#include "howdah/backend/local/local_cluster.h"
#include "howdah/backend/site.h"

namespace howdah::backend::local {

// Single-threaded.
class LocalSite final : public backend::Site {
 public:
  // options, layout: must live as long as this object. path: the submitter's PATH.
  LocalSite(const LocalOptions& options, const Layout& layout, std::string path)
      : options_(options), layout_(layout), path_(std::move(path)) {}

  std::string User() override { return options_.user(); }
  Result<backend::ClusterInfo> Info() override;
  std::vector<backend::Finding> CheckSetup() override;
  Result<std::vector<backend::QueuedJob>> Jobs() override;
  howdah::Status SetPriority(const JobId& id, int priority) override;
  howdah::Status MoveToQueue(const JobId& id, const std::string& queue) override;
  Result<std::unique_ptr<autoscale::Publication>> Autoscaler() override;
  Result<std::unique_ptr<autoscale::ClusterLink>> OpenLink(const autoscale::Provider& provider) override;

 private:
  const Capacity& MachineSize();  // neither memory nor GPUs of a machine change while it runs

  const LocalOptions& options_;
  const Layout& layout_;
  std::string path_;
  std::shared_ptr<const Capacity> capacity_;  // nullptr until it is needed
};

}  // namespace howdah::backend::local
