// A port here that leads into a job, for as long as somebody wants it.
#pragma once

#include <functional>
#include <string>

#include "howdah/backend/place.h"
#include "howdah/tunnel/forward.h"

namespace howdah::cli {

// Listens, prints the address (url: what to make of its "http://127.0.0.1:PORT/"; empty: that) and serves until Ctrl-C,
// SIGTERM or the job's end. The exit code of the command.
int ServeForward(backend::Place& place, const JobId& id, const tunnel::Target& target, int listen,
                 const std::function<std::string(const std::string& address)>& url);

}  // namespace howdah::cli
