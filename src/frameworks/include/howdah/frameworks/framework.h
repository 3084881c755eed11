// The frameworks, as pure functions from (job, cluster, process) to environment variables. A framework that needs more
// than environment variables has its own folder.
#pragma once

#include "howdah/base/ids.h"
#include "howdah/core/job.h"
#include "howdah/frameworks/common/process.h"
#include "howdah/jobspec/job_spec.h"

namespace howdah::frameworks {

using common::ProcessInfo;
using common::WorldSize;

// The service in the AM through which the processes of a framework find each other.
enum class RendezvousKind {
  kNone,
  kKeyValueStore,  // horovod::KeyValueStore, over HTTP; one for each generation
  kElastic,        // horovod::ElasticRendezvous, over HTTP; one for all generations
  kTracker,        // xgboost::XgboostTracker; one for each generation
};

// Returns the variables that a process gets in addition to the inherited ones: those that every process has, then those
// of the framework (docs/environment.md). The `env` of the job and of the role override them.
jobspec::EnvVars Environment(const jobspec::JobSpec& spec, const core::PeerGroup& cluster, const ProcessInfo& info);

// Whether a second port must be reserved for the task (ProcessInfo::tensorboard_port).
bool NeedsTensorboardPort(const jobspec::JobSpec& spec, TaskId task);

core::FrameworkRules RulesOf(const jobspec::JobSpec& spec);

RendezvousKind RendezvousKindOf(const jobspec::JobSpec& spec);

// Whether the framework's servers set SO_REUSEADDR. If so, the executor keeps the reserved port bound while the server
// binds it. Otherwise the executor releases the port just before the process starts.
bool ServersBindHeldPorts(jobspec::Framework framework);

}  // namespace howdah::frameworks
