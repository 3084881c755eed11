#include "howdah/frameworks/framework.h"

#include "howdah/frameworks/horovod/driver.h"
#include "howdah/frameworks/horovod/horovod.h"
#include "howdah/frameworks/mpi/mpi.h"
#include "howdah/frameworks/xgboost/xgboost.h"
#include "variables.h"

namespace howdah::frameworks {
namespace {

// Whether the failure of one ranked task stops all other ranked tasks. This is the case if the collectives of the
// framework cannot admit a new process.
bool RanksBelongTogether(const jobspec::JobSpec& spec) {
  switch (spec.framework) {
    case jobspec::Framework::kPytorch:
    case jobspec::Framework::kJax:
    case jobspec::Framework::kHorovod:
    case jobspec::Framework::kMpi:
    case jobspec::Framework::kMxnet:
    case jobspec::Framework::kXgboost:
      return true;
    case jobspec::Framework::kTensorflow:
      return !TrainsWithParameterServers(spec);
    default:
      return false;
  }
}

}  // namespace

jobspec::EnvVars Environment(const jobspec::JobSpec& spec, const core::PeerGroup& cluster, const ProcessInfo& info) {
  const Process process{spec, cluster, info};
  jobspec::EnvVars env;
  AddCommon(process, env);
  switch (spec.framework) {
    case jobspec::Framework::kPytorch:
      AddPytorch(process, env);
      break;
    case jobspec::Framework::kTensorflow:
      AddTensorflow(process, env);
      break;
    case jobspec::Framework::kJax:
      AddJax(process, env);
      break;
    case jobspec::Framework::kHorovod:
      horovod::AddVariables(process, env);
      break;
    case jobspec::Framework::kMpi:
      mpi::AddVariables(process, env);
      break;
    case jobspec::Framework::kMxnet:
      AddMxnet(process, env);
      break;
    case jobspec::Framework::kXgboost:
      xgboost::AddVariables(process, env);
      break;
    default:
      break;
  }
  if (spec.tony_env) AddTony(process, env);
  return env;
}

RendezvousKind RendezvousKindOf(const jobspec::JobSpec& spec) {
  switch (spec.framework) {
    case jobspec::Framework::kHorovod:
      if (horovod::DriverOf(spec)) return RendezvousKind::kNone;
      return horovod::IsElastic(spec) ? RendezvousKind::kElastic : RendezvousKind::kKeyValueStore;
    case jobspec::Framework::kXgboost:
      return RendezvousKind::kTracker;
    default:
      return RendezvousKind::kNone;
  }
}

core::FrameworkRules RulesOf(const jobspec::JobSpec& spec) {
  const bool together = RanksBelongTogether(spec);
  core::FrameworkRules rules;
  for (const jobspec::RoleSpec& role : spec.roles) {
    // TensorFlow's chief receives the addresses of all workers and parameter servers at its start, and distributes
    // them.
    rules.coordinators.push_back(spec.framework == jobspec::Framework::kTensorflow &&
                                 TrainsWithParameterServers(spec) && (role.chief || role.name == "chief"));
    rules.restarts_together.push_back(together &&
                                      (role.kind == jobspec::RoleKind::kWorker || IsPartOfMxnet(spec, role)));
  }
  rules.needs_whole_cluster = spec.framework != jobspec::Framework::kPlain;
  rules.first_rank_decides = spec.framework == jobspec::Framework::kMpi;
  rules.no_gaps = spec.framework == jobspec::Framework::kMpi;
  // mpirun reaches its daemons through the AM, and XGBoost's workers need the tracker in the AM until their end.
  // Rejoining processes of elastic Horovod connect to the address of the AM that started them, even if that AM is dead.
  rules.needs_am = spec.framework == jobspec::Framework::kMpi || spec.framework == jobspec::Framework::kXgboost ||
                   horovod::IsElastic(spec);
  return rules;
}

bool ServersBindHeldPorts(jobspec::Framework framework) {
  // Verified with the TCPStore of torch 1.13 and the gRPC servers of TensorFlow 2.21 and JAX 0.10. The result is false
  // for a plain job, because it may run any server.
  return framework == jobspec::Framework::kPytorch || framework == jobspec::Framework::kTensorflow ||
         framework == jobspec::Framework::kJax;
}

}  // namespace howdah::frameworks
