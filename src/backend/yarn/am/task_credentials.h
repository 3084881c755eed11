// Decides which credentials of the AM's container reach an executor, and which reach the task's processes. Pure.
#pragma once

#include "howdah/hadoop/rpc/token.h"
#include "howdah/jobspec/job_spec.h"

namespace howdah::backend::yarn::am {

// The file of a task's credentials, below the directory of its container.
inline constexpr char kTaskTokens[] = "howdah/task.tokens";

// The credentials of an executor's container: all but the AM's own secrets and its own token. An executor stores
// results in the file system, so it gets those tokens always. It gets the token with which it could submit and end
// applications of the user only if its task gets it.
hadoop::rpc::Credentials ExecutorCredentials(const hadoop::rpc::Credentials& of_am, const jobspec::TokenRules& rules);

// The credentials of the task's processes: the tokens that the rules allow, and the secrets that are not Howdah's. The
// rules do not concern tokens of other kinds than those that Howdah fetches. Logins to docker registries are only for
// NodeManagers.
hadoop::rpc::Credentials TaskCredentials(const hadoop::rpc::Credentials& of_executor, const jobspec::TokenRules& rules);

}  // namespace howdah::backend::yarn::am
