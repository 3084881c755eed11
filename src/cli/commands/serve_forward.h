// Serving a local port that leads into a job, as a command.
#pragma once

#include <functional>
#include <string>

#include "howdah/cli/args/syntax.h"
#include "howdah/client/connection.h"
#include "howdah/client/job_forward.h"

namespace howdah::cli::commands {

// --listen
void AddListen(args::Syntax& syntax, int& listen);

// Listens, prints the address and serves until Ctrl-C, SIGTERM or the job's end. url: makes what is printed from
// "http://127.0.0.1:PORT/"; empty: that is printed. The exit code of the command.
Result<int> ServeForward(const client::Job& job, const rpc::streams::Target& target, int listen,
                         const std::function<std::string(const std::string& address)>& url);

}  // namespace howdah::cli::commands
