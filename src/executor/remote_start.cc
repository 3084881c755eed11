#include "remote_start.h"

#include "howdah/frameworks/mpi/mpi.h"
#include "howdah/os/files/files.h"

namespace howdah::executor {

using frameworks::common::RemoteStartFiles;

RemoteStartFiles PlanRemoteStart(const TaskPlan& plan) {
  const bool starts = frameworks::mpi::StartsRemoteProcesses(plan.spec, plan.task);
  if (!starts && !frameworks::mpi::PlaceholderCommand(plan.spec, plan.task)) return {};
  const std::string own = plan.options.work_dir + "/.howdah";
  RemoteStartFiles files;
  files.temporary = own + "/tmp";
  if (!starts) return files;
  files.hostfile = own + "/hosts";
  const auto agent = plan.options.agent_variables.find("HOWDAH_AGENT");
  if (agent != plan.options.agent_variables.end()) files.agent = agent->second + " rsh";
  return files;
}

Status WriteRemoteStartFiles(const TaskPlan& plan, const core::PeerGroup& cluster) {
  const RemoteStartFiles& files = plan.remote_start;
  if (files.temporary.empty()) return {};
  HOWDAH_TRY_STATUS(os::files::MakeDirectories(files.temporary));
  if (files.hostfile.empty()) return {};
  return os::files::WriteFileAtomically(files.hostfile, frameworks::mpi::Hostfile(plan.spec, cluster), 0644);
}

}  // namespace howdah::executor
