// Shared by the frameworks: the process for which an environment is computed, ranks, and the format of addresses.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "howdah/base/host_port.h"
#include "howdah/base/ids.h"
#include "howdah/core/job.h"
#include "howdah/jobspec/job_spec.h"

namespace howdah::frameworks::common {

// Files that the executor has made for a task of a framework that starts processes in other tasks by itself (MPI). All
// paths are absolute.
struct RemoteStartFiles {
  std::string hostfile;   // has the lines of mpi::Hostfile()
  std::string agent;      // a command that takes a task's name ("worker-1") and a shell command to run there
  std::string temporary;  // a directory of the task's own
};

// Identifies one process of one task, with what the executor knows about its machine.
struct ProcessInfo {
  std::string job_id;
  TaskId task;
  int local_rank = 0;
  int attempt = 0;
  int generation = 0;
  std::string error_file;  // where the process may write why it failed (torch's TORCHELASTIC_ERROR_FILE)
  HostPort rendezvous;     // of the generation; port 0: none
  RemoteStartFiles remote_start;
  std::string interface;          // network interface that has the address of the task's endpoint; empty: unknown
  uint16_t tensorboard_port = 0;  // reserved for a TensorBoard of the task's own (TonY's TB_PORT); 0: none
};

// Everything a framework may ask about one process. Refers to its arguments.
struct Process {
  const jobspec::JobSpec& spec;
  const core::PeerGroup& cluster;
  const ProcessInfo& info;

  const jobspec::RoleSpec& role() const { return spec.roles[static_cast<size_t>(info.task.role)]; }
  const std::vector<HostPort>& peers() const { return cluster[static_cast<size_t>(info.task.role)]; }
  const HostPort& endpoint() const { return peers()[static_cast<size_t>(info.task.index)]; }
};

// The roles whose tasks have ranks, in rank order: the chief, then the other workers in the order of the file.
std::vector<int> RankedRoles(const jobspec::JobSpec& spec);

// How many processes of the job have a rank.
int WorldSize(const jobspec::JobSpec& spec, const core::PeerGroup& cluster);

// The position of a ranked process among all ranked processes. A group is a task.
struct RankInfo {
  int rank = 0, size = 0;
  int group_rank = 0, group_size = 0;
  int role_rank = 0, role_size = 0;
  HostPort first;  // of the task that has rank 0
};
// Only for a process of a ranked role.
RankInfo RankInfoOf(const Process& process);

// "host:port", an IPv6 host in brackets; empty while the port is unknown, so that list positions remain task indexes.
std::string Address(const HostPort& endpoint);

// JSON: role -> list of addresses, for the selected roles, in the order of the file.
std::string ClusterMap(const Process& process, const std::vector<bool>& roles);
std::string ClusterMap(const Process& process);  // for all roles

void Set(jobspec::EnvVars& env, std::string name, std::string value);
void Set(jobspec::EnvVars& env, std::string name, int64_t value);

}  // namespace howdah::frameworks::common
