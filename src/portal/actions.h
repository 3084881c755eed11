// Changes that users request: how they are read, performed and recorded.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "services.h"

namespace howdah::portal {

// Performs an action on a thread of the backend.
using Act = std::function<Result<web::Response>(backend::Cluster& cluster, const JobId& id)>;

struct Action {
  std::string name;       // "kill", as on the command line
  std::string arguments;  // a JSON object for the audit log; must contain no secrets
  Act act = nullptr;
  // The answer if `act` takes longer than 10 s; it still runs to its end. nullopt: 504.
  std::optional<web::Response> late = std::nullopt;
};

// How the journal of a job names the caller of a request that was admitted.
std::string RequesterOf(Services& services, const web::Request& request);

// The refusal of a request that a read-only token does not allow; nullopt if the caller may do it. doing: "changes
// nothing".
std::optional<web::Problem> RefuseReadOnly(Services& services, const web::Request& request, const std::string& doing);

// The same for a portal that was started with --read-only. command: what to type instead.
std::optional<web::Problem> RefuseChange(Services& services, const web::Request& request, const std::string& command);

// Records an action that the portal performs itself. job: its id, or several.
void Record(Services& services, const web::Request& request, const Action& action, const std::string& job,
            const std::string& outcome);

// Performs the action on the job that the request names (parameter "id"), and records it with its outcome. Refuses it
// if the portal or the token of the request is read-only.
void Perform(Services& services, const web::Request& request, const web::Arguments& arguments, Action action,
             web::Respond respond);

}  // namespace howdah::portal
