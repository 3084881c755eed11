// Commands that serve a local port which is forwarded into a job.
#pragma once

#include <functional>
#include <string>

#include "howdah/cli/args/syntax.h"
#include "howdah/client/connection.h"
#include "howdah/client/find_job.h"
#include "howdah/client/job_forward.h"

namespace howdah::cli::commands {

// Declares --listen.
void AddListen(args::Syntax& syntax, int& listen);

// Listens, prints the address, and serves until Ctrl-C, SIGTERM or the job's end. `url` converts
// "http://127.0.0.1:PORT/" to the text to print; if it is empty, the address itself is printed. Returns the exit code
// of the command.
Result<int> ServeForward(const client::Job& job, const rpc::streams::Target& target, int listen,
                         const std::function<std::string(const std::string& address)>& url);

}  // namespace howdah::cli::commands
