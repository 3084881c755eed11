// One function for each framework that needs only variables.
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

// Adds the variables that every process has, with any framework.
void AddCommon(const Process& process, jobspec::EnvVars& env);
void AddPytorch(const Process& process, jobspec::EnvVars& env);
void AddTensorflow(const Process& process, jobspec::EnvVars& env);
void AddJax(const Process& process, jobspec::EnvVars& env);
void AddMxnet(const Process& process, jobspec::EnvVars& env);
// Adds variables that scripts written for TonY need in addition to those of the framework.
void AddTony(const Process& process, jobspec::EnvVars& env);

// Whether the role is part of MXNet's parameter server. The scheduler never admits a restarted process, so all such
// roles restart together.
bool IsPartOfMxnet(const jobspec::JobSpec& spec, const jobspec::RoleSpec& role);

// Whether the job trains with parameter servers. If so, the processes are independent, and a process that restarts at
// its old address can continue.
bool TrainsWithParameterServers(const jobspec::JobSpec& spec);

}  // namespace howdah::frameworks
