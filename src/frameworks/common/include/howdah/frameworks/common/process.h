// Code that all frameworks share: the description of one process, its ranks, and the format of addresses.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "howdah/base/host_port.h"
#include "howdah/base/ids.h"
#include "howdah/core/job.h"
#include "howdah/jobspec/job_spec.h"

namespace howdah::frameworks::common {

// Files of one task, which the executor makes for a framework that starts processes in other tasks (MPI). All paths are
// absolute.
struct RemoteStartFiles {
  std::string hostfile;   // has the lines of mpi::Hostfile()
  std::string agent;      // a command that takes a task's name ("worker-1") and a shell command to run there
  std::string temporary;  // a directory for temporary files, not shared with other tasks
};

// Identifies one process of one task, and describes its machine.
struct ProcessInfo {
  std::string job_id;
  TaskId task;
  int local_rank = 0;
  int attempt = 0;
  int generation = 0;
  std::string error_file;  // the process may write the reason for its failure to this file (TORCHELASTIC_ERROR_FILE)
  HostPort rendezvous;     // address of the generation's rendezvous; port 0 if there is no rendezvous
  RemoteStartFiles remote_start;
  std::string driver_output;      // the directory for the plan of the user's own Horovod driver
  std::string interface;          // network interface with the address of the task's endpoint; empty if unknown
  uint16_t tensorboard_port = 0;  // reserved for the task's own TensorBoard (TonY's TB_PORT); 0 if none
};

// All information from which a framework computes the environment of one process. Holds references to its arguments.
struct Process {
  const jobspec::JobSpec& spec;
  const core::PeerGroup& cluster;
  const ProcessInfo& info;

  const jobspec::RoleSpec& role() const { return spec.roles[static_cast<size_t>(info.task.role)]; }
  const std::vector<HostPort>& peers() const { return cluster[static_cast<size_t>(info.task.role)]; }
  const HostPort& endpoint() const { return peers()[static_cast<size_t>(info.task.index)]; }
};

// Returns the roles with ranks, in rank order: the chief, then the other worker roles in the order of the job file.
std::vector<int> RankedRoles(const jobspec::JobSpec& spec);

// Returns the number of processes of the job that have a rank.
int WorldSize(const jobspec::JobSpec& spec, const core::PeerGroup& cluster);

// The position of a process among all processes with a rank. A group is the set of processes of one task, as in
// torchrun.
struct RankInfo {
  int rank = 0, size = 0;
  int group_rank = 0, group_size = 0;
  int role_rank = 0, role_size = 0;
  HostPort first;  // endpoint of the task with rank 0
};
// To be called only for a process of a role with ranks.
RankInfo RankInfoOf(const Process& process);

// Returns "host:port", with an IPv6 address in brackets. Returns "" while the port is unknown: lists of addresses keep
// the empty element, so that the position in a list is the task's index.
std::string Address(const HostPort& endpoint);

// Returns a JSON object that maps each selected role to the list of its addresses, in the order of the job file.
std::string ClusterMap(const Process& process, const std::vector<bool>& roles);
std::string ClusterMap(const Process& process);  // for all roles

void Set(jobspec::EnvVars& env, std::string name, std::string value);
void Set(jobspec::EnvVars& env, std::string name, int64_t value);

}  // namespace howdah::frameworks::common
