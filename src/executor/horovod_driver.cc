#include "horovod_driver.h"

#include "howdah/frameworks/horovod/driver.h"
#include "howdah/frameworks/horovod/horovod.h"
#include "howdah/os/files/files.h"

namespace howdah::executor {

namespace horovod = frameworks::horovod;

std::string DriverOutput(const TaskPlan& plan, int attempt) {
  if (horovod::DriverOf(plan.spec) != plan.task.role) return "";
  return plan.options.work_dir + "/.howdah/driver-" + std::to_string(attempt);
}

Status MakeDriverOutput(const TaskPlan& plan, int attempt) {
  const std::string directory = DriverOutput(plan, attempt);
  return directory.empty() ? Status() : os::files::MakeDirectories(directory);
}

void WaitForDriverPlan(const TaskPlan& plan, const Peers& peers, const ProcessSlot& slot,
                       os::process::SpawnRequest& request) {
  const auto driver = horovod::DriverOf(plan.spec);
  const auto agent = plan.options.agent_variables.find("HOWDAH_AGENT");
  if (!driver || plan.role().kind != jobspec::RoleKind::kWorker || agent == plan.options.agent_variables.end()) return;
  const horovod::RankAssignment own = horovod::RankAssignmentOf(
      plan.spec, peers.cluster, {.task = {plan.task.role, slot.index}, .local_rank = slot.local_rank});
  std::vector<std::string> argv = {
      agent->second, "horovod-slot", "--task",     plan.spec.roles[static_cast<size_t>(*driver)].name + ":0",
      "--host",      own.host,       "--position", std::to_string(own.local_rank),
      "--",          request.program};
  argv.insert(argv.end(), request.argv.begin(), request.argv.end());
  request.program = agent->second;
  request.argv = std::move(argv);
}

}  // namespace howdah::executor
