#include "start_support.h"

#include "howdah/os/files/files.h"

namespace howdah::executor {

frameworks::StartSupport PlanStartSupport(const TaskPlan& plan) {
  const bool starts = frameworks::StartsInOthers(plan.spec, plan.task);
  if (!starts && !frameworks::HoldsPlace(plan.spec, plan.task)) return {};
  const std::string own = plan.options.work_dir + "/.howdah";
  frameworks::StartSupport support;
  support.temporary = own + "/tmp";
  if (!starts) return support;
  support.hostfile = own + "/hosts";
  const auto agent = plan.options.agent_variables.find("HOWDAH_AGENT");
  if (agent != plan.options.agent_variables.end()) support.agent = agent->second + " rsh";
  return support;
}

Status MakeStartSupport(const TaskPlan& plan, const core::PeerGroup& cluster) {
  const frameworks::StartSupport& support = plan.start_support;
  if (support.temporary.empty()) return {};
  if (const Status made = os::files::MakeDirectories(support.temporary); !made.ok()) return made;
  if (support.hostfile.empty()) return {};
  return os::files::WriteFileAtomically(support.hostfile, frameworks::Hostfile(plan.spec, cluster), 0644);
}

}  // namespace howdah::executor
