// Decisions of the autoscaler, and their text in the decision log.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "howdah/autoscale/formula.h"
#include "howdah/autoscale/policy.h"
#include "howdah/base/time.h"

namespace howdah::autoscale {

// The state of the autoscaler, as Dataproc names it.
enum class ScalerState { kCooldown, kRecommending, kScaling, kPaused, kFailed };
std::string_view ToText(ScalerState state);
std::string_view ToText(Verdict verdict);

struct Decision {
  Instant at;
  ScalerState state = ScalerState::kRecommending;
  Verdict verdict = Verdict::kNoScale;
  Sizes current, recommended, min, max;
  Sample metrics;  // averages in the Dataproc mode, otherwise the last observation
  std::optional<Metric> metric;
  std::vector<std::string> constraints;  // "REACHED_MAXIMUM_CLUSTER_SIZE"
  Duration drain{0};
  std::string reason;  // a sentence with numbers
  std::string error;   // of kFailed

  // Whether both say the same, whatever their times and metrics are.
  bool SaysSame(const Decision& other) const;
};

// Formats one line of the decision log: a JSON object with the fields of Dataproc's AutoscalerLog, and `reason`.
// (cloud.google.com/dataproc/docs/concepts/configuring-clusters/autoscaling, "Autoscaling log")
std::string ToLogLine(const Decision& decision);

}  // namespace howdah::autoscale
