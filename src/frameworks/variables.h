// The frameworks that consist of variables only: one function each.
#pragma once

#include "howdah/frameworks/common/process.h"
#include "howdah/jobspec/job_spec.h"

namespace howdah::frameworks {

using common::Address;
using common::ClusterMap;
using common::Process;
using common::RankInfo;
using common::RankInfoOf;
using common::Set;

// For every process, whatever the framework.
void AddCommon(const Process& process, jobspec::EnvVars& env);
void AddPytorch(const Process& process, jobspec::EnvVars& env);
void AddTensorflow(const Process& process, jobspec::EnvVars& env);
void AddJax(const Process& process, jobspec::EnvVars& env);
void AddMxnet(const Process& process, jobspec::EnvVars& env);
// For scripts written for TonY, in addition to their framework's.
void AddTony(const Process& process, jobspec::EnvVars& env);

// Whether the role is part of MXNet's parameter server. Its scheduler never admits a process twice, so all parts
// restart together.
bool IsPartOfMxnet(const jobspec::JobSpec& spec, const jobspec::RoleSpec& role);

// Parameter-server training: processes are independent, and one that restarts at its address is used again.
bool TrainsWithParameterServers(const jobspec::JobSpec& spec);

}  // namespace howdah::frameworks
