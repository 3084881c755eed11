// The state of a backend's cluster, as the portal knows it. Plain values.
#pragma once

#include <memory>
#include <string>

#include "howdah/backend/cluster_info.h"
#include "howdah/base/time.h"

namespace howdah::portal {

// One reading of a backend's cluster.
struct ClusterSample {
  backend::ClusterInfo info;
  Instant at;       // when the reading began
  Duration cost{};  // how long it took
};

struct ClusterState {
  std::shared_ptr<const ClusterSample> sample;  // the newest reading; nullptr before the first one
  std::string problem;                          // why there is no newer one; empty: the last reading succeeded
  Instant failing_since;                        // with a problem
};

}  // namespace howdah::portal
