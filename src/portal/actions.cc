#include "actions.h"

#include <cstdio>
#include <utility>

namespace howdah::portal {

void Perform(Services& services, const web::Request& request, const web::Arguments& arguments, Action action,
             web::Respond respond) {
  if (services.facts.read_only) {
    return respond(
        web::ToResponse({.status = 403,
                         .detail = "this portal was started with --read-only and changes nothing",
                         .advice = "use `howdah " + action.name + "`, or start the portal without --read-only"}));
  }
  const auto job = FindJob(services, arguments.Text("id"));
  if (!job.ok()) return respond(web::ToResponse(ToProblem(job.error())));
  AuditEntry entry{.time = services.clock.Now(),
                   .peer = request.peer,
                   .user = services.facts.user,
                   .action = action.name,
                   .job = job->id.text,
                   .arguments = action.arguments};
  const auto make = [act = std::move(action.act), entry, audit = services.audit.get(),
                     id = job->id](backend::Cluster& cluster) mutable -> Result<web::Response> {
    auto response = act(cluster, id);
    const bool refused = response.ok() && response->status >= 400;
    entry.outcome = !response.ok() ? response.error().message : refused ? "refused" : "done";
    const Status written = audit->Write(entry);
    if (!written.ok()) std::fprintf(stderr, "howdah: recording an action: %s\n", written.error().message.c_str());
    return response;
  };
  AnswerForJob(services, *job, make, std::move(respond), std::move(action.late));
}

}  // namespace howdah::portal
