// The interface of the autoscaler to a cluster.
#pragma once

#include <string>
#include <vector>

#include "howdah/autoscale/facts.h"
#include "howdah/autoscale/orders.h"
#include "howdah/base/result.h"

namespace howdah::autoscale {

// Each method blocks for at most a minute. Different threads may call different methods at the same time.
class ClusterLink {
 public:
  virtual ~ClusterLink() = default;

  virtual Result<ClusterSeen> Observe() = 0;
  // Writes the exclude file and lets the ResourceManager read it.
  virtual Status Exclude(const SetExcluded& order) = 0;
  virtual NodeChecked::Answer Check(const CheckNode& order) = 0;
  // Replaces the file `publish` of the provider file. text: of WritePublication. Every user may read the file.
  virtual Status Publish(const std::string& text) = 0;

  // The checks before a start. seen: the result of Observe.
  struct Finding {
    bool good = true;
    std::string text;
  };
  virtual std::vector<Finding> CheckSetup(const Result<ClusterSeen>& seen) = 0;
};

}  // namespace howdah::autoscale
