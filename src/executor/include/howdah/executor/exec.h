// `howdah-agent exec --task ROLE:INDEX -- COMMAND`: a process of one task runs a command in another task of its job.
// `howdah-agent rsh ROLE-INDEX WORD...` does the same with the arguments that mpirun passes to ssh.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/rpc/identity.h"

namespace howdah::executor {

// The environment variable that gives a task's processes the address of the AM.
inline constexpr char kAmVariable[] = "HOWDAH_AM";

// Returns the variables with which a process of a task finds this program and the AM: HOWDAH_AGENT, HOWDAH_AM and
// HOWDAH_TLS. tls: where the identities are, a directory or a file of credentials. If it is empty, HOWDAH_TLS is not
// set. The variables are not secret: a process proves that it belongs to the job with a file that only the task's user
// can read.
std::map<std::string, std::string> AgentVariables(const std::string& agent, const std::string& am_address,
                                                  const std::string& tls);

// Loads the identity of the caller. tls: the value of HOWDAH_TLS, or empty.
using LoadIdentity = std::function<Result<rpc::Identity>(const std::string& tls)>;

// Runs `howdah-agent exec`. Returns the command's exit code, as `howdah exec` does, or an error if the command was not
// run.
Result<int> RunExec(const std::vector<std::string>& arguments, const LoadIdentity& load_identity);

// Runs `howdah-agent rsh`. Joins the words to a shell command, as ssh does. Waits up to a minute for a task that does
// not run yet, because mpirun may start before the other tasks.
Result<int> RunRsh(const std::vector<std::string>& arguments, const LoadIdentity& load_identity);

}  // namespace howdah::executor
