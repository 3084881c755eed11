#include <cmath>
#include <nlohmann/json.hpp>
#include <tuple>

#include "howdah/autoscale/decision.h"

namespace howdah::autoscale {
namespace {

using Json = nlohmann::ordered_json;

Json SizesJson(const Sizes& sizes) {
  return {{"primaryWorkerCount", sizes.primary}, {"secondaryWorkerCount", sizes.secondary}};
}

std::string Megabytes(double mib) { return std::to_string(std::llround(mib)) + " MB"; }

Json MetricsJson(const Sample& sample) {
  return {{"avg-yarn-pending-memory", Megabytes(sample.pending_mib)},
          {"avg-yarn-available-memory", Megabytes(sample.available_mib)},
          {"avg-yarn-pending-vcores", std::to_string(std::llround(sample.pending_vcores))},
          {"avg-yarn-available-vcores", std::to_string(std::llround(sample.available_vcores))}};
}

std::string_view MetricText(Metric metric) { return metric == Metric::kCores ? "YARN_CORES" : "YARN_MEMORY"; }

}  // namespace

std::string_view ToText(ScalerState state) {
  switch (state) {
    case ScalerState::kCooldown:
      return "COOLDOWN";
    case ScalerState::kRecommending:
      return "RECOMMENDING";
    case ScalerState::kScaling:
      return "SCALING";
    case ScalerState::kPaused:
      return "STOPPED";
    case ScalerState::kFailed:
      return "FAILED";
  }
  return "";
}

std::string_view ToText(Verdict verdict) {
  switch (verdict) {
    case Verdict::kScaleUp:
      return "SCALE_UP";
    case Verdict::kScaleDown:
      return "SCALE_DOWN";
    case Verdict::kNoScale:
      return "NO_SCALE";
    case Verdict::kMixed:
      return "MIXED";
    case Verdict::kCancel:
      return "CANCEL";
    case Verdict::kDoNotCancel:
      return "DO_NOT_CANCEL";
  }
  return "";
}

bool Decision::SaysSame(const Decision& other) const {
  const auto facts = [](const Decision& some) {
    return std::tie(some.state, some.verdict, some.recommended.primary, some.recommended.secondary, some.constraints,
                    some.reason, some.error);
  };
  return facts(*this) == facts(other);
}

std::string ToLogLine(const Decision& decision) {
  Json status = {{"state", ToText(decision.state)}};
  if (!decision.reason.empty()) status["details"] = decision.reason;
  if (!decision.error.empty()) status["error"] = decision.error;
  Json outputs = {{"decision", ToText(decision.verdict)},
                  {"recommendedClusterSize", SizesJson(decision.recommended)},
                  {"gracefulDecommissionTimeout",
                   std::to_string(std::chrono::duration_cast<std::chrono::seconds>(decision.drain).count()) + "s"},
                  {"constraintsReached", decision.constraints}};
  if (decision.metric) outputs["decisionMetric"] = MetricText(*decision.metric);
  const Json line = {{"timestamp", FormatInstant(decision.at)},
                     {"status", std::move(status)},
                     {"recommendation",
                      {{"inputs",
                        {{"clusterMetrics", MetricsJson(decision.metrics)},
                         {"currentClusterSize", SizesJson(decision.current)},
                         {"minWorkerCounts", SizesJson(decision.min)},
                         {"maxWorkerCounts", SizesJson(decision.max)}}},
                       {"outputs", std::move(outputs)}}},
                     {"reason", decision.reason}};
  return line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace howdah::autoscale
