#include "waiting_am.h"

#include "howdah/backend/yarn/why_pending.h"
#include "howdah/jobspec/job_file.h"
#include "submit.h"

namespace howdah::backend::yarn::client {
namespace {

// What its AM was asked with; nothing: the job file is another user's, or gone.
hadoop::yarn::Resource AmContainerSize(HadoopClient& cluster, const JobId& id) {
  const auto places = cluster.StagingLayout();
  if (!places.ok()) return {};
  const auto text = cluster.ReadFile(places->job_file(id));
  if (!text.ok()) return {};
  const auto spec = jobspec::ReadEffective(*text);
  if (!spec.ok()) return {};
  hadoop::yarn::Resource shape;
  shape.memory_mib = AmMemoryMib(*spec);
  shape.vcores = spec->am.vcores;
  return shape;
}

}  // namespace

std::string WhyApplicationIsPending(HadoopClient& cluster, const ::hadoop::yarn::ApplicationReportProto& report) {
  if (report.yarn_application_state() < ::hadoop::yarn::ACCEPTED) return "";
  // Once the AM's container is granted nothing is waited for but its start.
  if (report.currentapplicationattemptid().attemptid() > 0 && report.app_resource_usage().num_used_containers() > 0) {
    return "the application master is being started";
  }
  const auto rm = cluster.Rm();
  if (!rm.ok()) return "";
  const std::string& expression = report.amnodelabelexpression();
  const std::string label = expression.starts_with('<') ? "" : expression;  // <DEFAULT_PARTITION>, <Not set>
  const auto facts = FetchClusterFacts(**rm, report.user(), report.queue(), label);
  if (!facts.ok()) return facts.error().message;
  const JobId id{hadoop::yarn::ToText(hadoop::yarn::FromProto(report.applicationid()))};
  return WhyAmPending(*facts, report.diagnostics(), {"the application master", 1, AmContainerSize(cluster, id), label});
}

}  // namespace howdah::backend::yarn::client
