// What the frameworks share: who is ranked, how addresses are written, and one function a framework.
#pragma once

#include <string>
#include <vector>

#include "howdah/core/job.h"
#include "howdah/frameworks/framework.h"

namespace howdah::frameworks {

// Everything a framework may ask about one process. Views of what Environment() was given.
struct Process {
  const jobspec::JobSpec& spec;
  const core::PeerGroup& cluster;
  const ProcessPlace& place;

  const jobspec::RoleSpec& role() const { return spec.roles[static_cast<size_t>(place.task.role)]; }
  const std::vector<HostPort>& peers() const { return cluster[static_cast<size_t>(place.task.role)]; }
  const HostPort& endpoint() const { return peers()[static_cast<size_t>(place.task.index)]; }
};

// The roles whose tasks have ranks, in rank order: the chief, then the other workers' as in the file.
std::vector<int> RankedRoles(const jobspec::JobSpec& spec);

// The ranked world as one ranked process sees it. Groups are tasks.
struct World {
  int rank = 0, size = 0;
  int group_rank = 0, group_size = 0;
  int role_rank = 0, role_size = 0;
  HostPort first;  // of the task that holds rank 0
};
// Only for a process of a ranked role.
World WorldOf(const Process& process);

// "host:port", an IPv6 host in brackets; empty where the port is not known yet, so that positions stay indexes.
std::string Address(const HostPort& endpoint);

// JSON: role -> list of addresses, for the roles named, in the order of the file.
std::string ClusterMap(const Process& process, const std::vector<bool>& roles);

void Set(jobspec::EnvVars& env, std::string name, std::string value);
void Set(jobspec::EnvVars& env, std::string name, int64_t value);

void AddCommon(const Process& process, jobspec::EnvVars& env);
void AddPytorch(const Process& process, jobspec::EnvVars& env);
void AddTensorflow(const Process& process, jobspec::EnvVars& env);
void AddJax(const Process& process, jobspec::EnvVars& env);
void AddHorovod(const Process& process, jobspec::EnvVars& env);
void AddMpi(const Process& process, jobspec::EnvVars& env);
void AddMxnet(const Process& process, jobspec::EnvVars& env);
void AddXgboost(const Process& process, jobspec::EnvVars& env);
void AddTony(const Process& process, jobspec::EnvVars& env);

// Whether the role is one of those that MXNet's parameter server consists of. Its scheduler lets nobody in whom it has
// counted before, so that they all start again together.
bool IsPartOfMxnet(const jobspec::JobSpec& spec, const jobspec::RoleSpec& role);

// Its processes may go from one world to the next without starting again, if the script does (hvd.elastic).
bool IsElasticHorovod(const jobspec::JobSpec& spec);

// Parameter-server training: every process stands for itself, and one that comes back at its address is used again.
bool TrainsWithParameterServers(const jobspec::JobSpec& spec);

}  // namespace howdah::frameworks
