#include "howdah/frameworks/framework.h"

#include "parts.h"

namespace howdah::frameworks {
namespace {

// Whether the failure of one ranked task leaves the others unable to go on: collectives have no way to let a new
// process in.
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

jobspec::EnvVars Environment(const jobspec::JobSpec& spec, const core::PeerGroup& cluster, const ProcessPlace& place) {
  const Process process{spec, cluster, place};
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
      AddHorovod(process, env);
      break;
    case jobspec::Framework::kMpi:
      AddMpi(process, env);
      break;
    case jobspec::Framework::kMxnet:
      AddMxnet(process, env);
      break;
    case jobspec::Framework::kXgboost:
      AddXgboost(process, env);
      break;
    default:
      break;
  }
  if (spec.tony_env) AddTony(process, env);
  return env;
}

Rendezvous RendezvousOf(const jobspec::JobSpec& spec) {
  switch (spec.framework) {
    case jobspec::Framework::kHorovod:
      return IsElasticHorovod(spec) ? Rendezvous::kWorlds : Rendezvous::kKeyValueStore;
    case jobspec::Framework::kXgboost:
      return Rendezvous::kTracker;
    default:
      return Rendezvous::kNone;
  }
}

core::FrameworkRules RulesOf(const jobspec::JobSpec& spec) {
  const bool together = RanksBelongTogether(spec);
  core::FrameworkRules rules;
  for (const jobspec::RoleSpec& role : spec.roles) {
    // TensorFlow's coordinator tells workers and parameter servers of each other.
    rules.coordinators.push_back(spec.framework == jobspec::Framework::kTensorflow &&
                                 TrainsWithParameterServers(spec) && (role.chief || role.name == "chief"));
    rules.restarts_together.push_back(together &&
                                      (role.kind == jobspec::RoleKind::kWorker || IsPartOfMxnet(spec, role)));
  }
  rules.needs_whole_cluster = spec.framework != jobspec::Framework::kPlain;
  rules.first_rank_decides = spec.framework == jobspec::Framework::kMpi;
  rules.no_gaps = spec.framework == jobspec::Framework::kMpi;
  // mpirun reaches its daemons, and workers of XGBoost their tracker until the end, through the AM. Processes of
  // elastic Horovod that are on their way into a world look for it where the dead AM was.
  rules.needs_am = spec.framework == jobspec::Framework::kMpi || spec.framework == jobspec::Framework::kXgboost ||
                   IsElasticHorovod(spec);
  return rules;
}

bool ServersBindHeldPorts(jobspec::Framework framework) {
  // Tried with torch 1.13's TCPStore and the gRPC servers of TensorFlow 2.21 and JAX 0.10. A plain job's server is
  // anybody's.
  return framework == jobspec::Framework::kPytorch || framework == jobspec::Framework::kTensorflow ||
         framework == jobspec::Framework::kJax;
}

}  // namespace howdah::frameworks
