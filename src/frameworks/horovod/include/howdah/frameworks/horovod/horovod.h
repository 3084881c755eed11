// Horovod with gloo: the ranks and the environment variables of its processes. The AM serves the rendezvous.
#pragma once

#include "howdah/core/job.h"
#include "howdah/frameworks/common/process.h"
#include "howdah/frameworks/horovod/elastic_rendezvous.h"
#include "howdah/jobspec/job_spec.h"

namespace howdah::frameworks::horovod {

// Whether processes can move from one generation to the next without a restart. The script must support it
// (hvd.elastic).
bool IsElastic(const jobspec::JobSpec& spec);

// Returns the ranks of a process of a worker role. Used when the process is started, and when it rejoins
// (ElasticRendezvous).
RankAssignment RankAssignmentOf(const jobspec::JobSpec& spec, const core::PeerGroup& cluster,
                                const common::ProcessInfo& info);

// Adds the variables that horovodrun sets for a process, and TonY's CLUSTER_SPEC.
void AddVariables(const common::Process& process, jobspec::EnvVars& env);

}  // namespace howdah::frameworks::horovod
