// The AM's order to start an attempt, with its information about the other tasks of the job.
#pragma once

#include <optional>

#include "howdah/base/host_port.h"
#include "howdah/base/ids.h"
#include "howdah/core/job.h"
#include "howdah/jobspec/job_spec.h"
#include "howdah/wire/executor.pb.h"

namespace howdah::executor {

// Identifies one process of one attempt.
struct ProcessSlot {
  int attempt = 0;
  int generation = 0;
  int local_rank = 0;
  int index = 0;  // rank index: the position of the task among its role's endpoints in the cluster
};

// The information about other tasks that the environment of a process needs.
struct Peers {
  core::PeerGroup cluster;
  HostPort rendezvous;       // port 0 if the framework has no rendezvous
  jobspec::EnvVars exports;  // values exported by roles that have ended
};

struct StartOrder {
  ProcessSlot slot;  // its local_rank is 0
  Peers peers;
};

// Returns nullopt if the endpoint table does not match this job, or does not contain the task.
std::optional<StartOrder> ReadStartOrder(const wire::Start& start, const wire::Cluster& cluster,
                                         const jobspec::JobSpec& spec, TaskId task);

}  // namespace howdah::executor
