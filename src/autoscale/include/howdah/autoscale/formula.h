// The published rule of Dataproc's autoscaler: pending and available memory (or vcores) of YARN in, a number of nodes
// out. (cloud.google.com/dataproc/docs/concepts/configuring-clusters/autoscaling, "How autoscaling works".) Pure.
#pragma once

#include <string>
#include <vector>

#include "howdah/autoscale/policy.h"
#include "howdah/base/time.h"

namespace howdah::autoscale {

// The metrics of the ResourceManager at one time.
struct Sample {
  Instant at;
  double pending_mib = 0, available_mib = 0;
  double pending_vcores = 0, available_vcores = 0;
};

struct NodeSize {
  double memory_mib = 0, vcores = 0;
};

enum class Metric { kMemory, kCores };  // YARN_MEMORY, YARN_CORES
// kMixed: one group grows and the other shrinks. kCancel, kDoNotCancel: whether nodes that are being drained stay.
enum class Verdict { kScaleUp, kScaleDown, kNoScale, kMixed, kCancel, kDoNotCancel };
enum class Constraint { kNone, kMinimum, kMaximum };  // REACHED_MINIMUM_CLUSTER_SIZE, REACHED_MAXIMUM_CLUSTER_SIZE

struct Recommendation {
  Verdict verdict = Verdict::kNoScale;
  Metric metric = Metric::kMemory;
  double delta = 0;  // nodes that are missing; negative: superfluous
  int change = 0;    // after the factor, before bounds and fractions
  Sizes sizes;       // the recommended sizes
  Constraint constraint = Constraint::kNone;
};

// The time-weighted averages of the samples until `end`. Each sample counts until the next. `at` of the result is
// `end`. samples: not empty, in the order of time.
Sample Average(const std::vector<Sample>& samples, Instant end);

// cores: whether vcores count, too; the metric that misses more nodes decides.
Recommendation Recommend(const Policy& policy, const Sample& average, const NodeSize& node, const Sizes& current,
                         bool cores);

}  // namespace howdah::autoscale
