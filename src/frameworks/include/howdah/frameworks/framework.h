// Frameworks as pure functions: (job, cluster, process) -> environment variables. A framework with more than variables
// has a folder of its own.
#pragma once

#include "howdah/base/ids.h"
#include "howdah/core/job.h"
#include "howdah/frameworks/common/process.h"
#include "howdah/jobspec/job_spec.h"

namespace howdah::frameworks {

using common::ProcessInfo;
using common::WorldSize;

// The service of the AM by which the processes of a framework find each other.
enum class RendezvousKind {
  kNone,
  kKeyValueStore,  // horovod::KeyValueStore, over HTTP; one for each generation
  kElastic,        // horovod::ElasticRendezvous, over HTTP; one for all generations
  kTracker,        // xgboost::XgboostTracker; one for each generation
};

// What the launcher sets for a process in addition to what it inherits: the variables of every process, then those of
// the framework (docs/environment.md). The job's and the role's `env` come after these and may override them.
jobspec::EnvVars Environment(const jobspec::JobSpec& spec, const core::PeerGroup& cluster, const ProcessInfo& info);

// Whether a second port is reserved for the task: ProcessInfo::tensorboard_port.
bool NeedsTensorboardPort(const jobspec::JobSpec& spec, TaskId task);

core::FrameworkRules RulesOf(const jobspec::JobSpec& spec);

RendezvousKind RendezvousKindOf(const jobspec::JobSpec& spec);

// Whether the framework's servers set SO_REUSEADDR, so that the executor may hold the reserved port while they bind it.
// Otherwise the port is released just before the process starts.
bool ServersBindHeldPorts(jobspec::Framework framework);

}  // namespace howdah::frameworks
