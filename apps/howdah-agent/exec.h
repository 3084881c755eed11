// `howdah-agent exec --task ROLE:INDEX -- COMMAND`: a process of one task runs a command in another one of its job.
// `howdah-agent rsh ROLE-INDEX WORD...`: the same as mpirun wants it of ssh.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "howdah/base/result.h"

namespace howdah::agent {

// The variables by which a process of a task finds this program, and the program the AM: HOWDAH_AGENT, HOWDAH_AM, and
// HOWDAH_TLS where identities are in a directory (tls; empty: in the container's credentials). They are no secret: what
// proves that a process belongs to the job is in a file that only the task's user can read.
std::map<std::string, std::string> AgentVariables(const std::string& agent, const std::string& am_address,
                                                  const std::string& tls);

// The exit code is the command's, as `howdah exec` has it; an error: it was not run.
Result<int> RunExec(const std::vector<std::string>& arguments);

// The words are a shell command, as ssh joins them. A task that does not run yet is waited for, a minute at most: the
// one that asks may be quicker than the start of the others.
Result<int> RunRsh(const std::vector<std::string>& arguments);

}  // namespace howdah::agent
