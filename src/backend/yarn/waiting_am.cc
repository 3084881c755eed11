#include "waiting_am.h"

#include "why_pending.h"

namespace howdah::yarnplace {

std::string WhyApplicationWaits(Cluster& cluster, const hadoop::yarn::ApplicationReportProto& report) {
  if (report.yarn_application_state() < hadoop::yarn::ACCEPTED) return "";
  const auto rm = cluster.Rm();
  if (!rm.ok()) return "";
  const std::string& expression = report.amnodelabelexpression();
  const std::string label = expression.starts_with('<') ? "" : expression;  // <DEFAULT_PARTITION>, <Not set>
  const auto facts = GatherFacts(**rm, report.user(), report.queue(), label);
  if (!facts.ok()) return facts.error().message;
  // Once the AM's container is granted nothing is waited for but its start.
  if (report.currentapplicationattemptid().attemptid() > 0 && report.app_resource_usage().num_used_containers() > 0) {
    return "the application master is being started";
  }
  Want am{"the application master", 1, yarn::FromProto(report.app_resource_usage().needed_resources()), label};
  if (am.shape.memory_mib <= 0) am.shape.memory_mib = 1;
  return WhyAmPending(*facts, report.diagnostics(), am);
}

}  // namespace howdah::yarnplace
