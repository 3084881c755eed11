#include "howdah/frameworks/framework.h"

#include "parts.h"

namespace howdah::frameworks {
namespace {

// Whether the failure of one ranked task leaves the others unable to go on: collectives have no way to let a new
// process in.
bool RanksBelongTogether(const spec::JobSpec& spec) {
  switch (spec.framework) {
    case spec::Framework::kPytorch:
    case spec::Framework::kJax:
    case spec::Framework::kHorovod:
    case spec::Framework::kMpi:
    case spec::Framework::kMxnet:
    case spec::Framework::kXgboost:
      return true;
    case spec::Framework::kTensorflow:
      return !TrainsWithParameterServers(spec);
    default:
      return false;
  }
}

}  // namespace

spec::EnvVars Environment(const spec::JobSpec& spec, const core::Cluster& cluster, const ProcessPlace& place) {
  const Process process{spec, cluster, place};
  spec::EnvVars env;
  AddCommon(process, env);
  switch (spec.framework) {
    case spec::Framework::kPytorch:
      AddPytorch(process, env);
      break;
    case spec::Framework::kTensorflow:
      AddTensorflow(process, env);
      break;
    case spec::Framework::kJax:
      AddJax(process, env);
      break;
    case spec::Framework::kHorovod:
      AddHorovod(process, env);
      break;
    case spec::Framework::kMpi:
      AddMpi(process, env);
      break;
    case spec::Framework::kMxnet:
      AddMxnet(process, env);
      break;
    case spec::Framework::kXgboost:
      AddXgboost(process, env);
      break;
    default:
      break;
  }
  if (spec.tony_env) AddTony(process, env);
  return env;
}

Rendezvous RendezvousOf(const spec::JobSpec& spec) {
  switch (spec.framework) {
    case spec::Framework::kHorovod:
      return IsElasticHorovod(spec) ? Rendezvous::kWorlds : Rendezvous::kKeyValueStore;
    case spec::Framework::kXgboost:
      return Rendezvous::kTracker;
    default:
      return Rendezvous::kNone;
  }
}

core::FrameworkRules RulesOf(const spec::JobSpec& spec) {
  const bool together = RanksBelongTogether(spec);
  core::FrameworkRules rules;
  for (const spec::RoleSpec& role : spec.roles) {
    // TensorFlow's coordinator tells workers and parameter servers of each other.
    rules.directs.push_back(spec.framework == spec::Framework::kTensorflow && TrainsWithParameterServers(spec) &&
                            (role.chief || role.name == "chief"));
    rules.restarts_together.push_back(together && (role.kind == spec::RoleKind::kWorker || IsPartOfMxnet(spec, role)));
  }
  rules.needs_whole_cluster = spec.framework != spec::Framework::kPlain;
  rules.first_rank_decides = spec.framework == spec::Framework::kMpi;
  rules.no_gaps = spec.framework == spec::Framework::kMpi;
  // mpirun reaches its daemons, and workers of XGBoost their tracker until the end, through the AM. Processes of
  // elastic Horovod that are on their way into a world look for it where the dead AM was.
  rules.needs_am =
      spec.framework == spec::Framework::kMpi || spec.framework == spec::Framework::kXgboost || IsElasticHorovod(spec);
  return rules;
}

bool ServersBindHeldPorts(spec::Framework framework) {
  // Tried with torch 1.13's TCPStore and the gRPC servers of TensorFlow 2.21 and JAX 0.10. A plain job's server is
  // anybody's.
  return framework == spec::Framework::kPytorch || framework == spec::Framework::kTensorflow ||
         framework == spec::Framework::kJax;
}

}  // namespace howdah::frameworks
