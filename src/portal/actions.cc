#include "actions.h"

#include <cstdio>
#include <utility>

namespace howdah::portal {

std::string RequesterOf(Services& services, const web::Request& request) {
  const auto caller = services.CallerOf(request);
  const auto* known = std::get_if<Caller>(&caller);
  if (known == nullptr || known->token.empty()) return services.facts.requester;
  return services.facts.requester + " (token '" + known->token + "')";
}

std::optional<web::Problem> RefuseReadOnly(Services& services, const web::Request& request, const std::string& doing) {
  auto caller = services.CallerOf(request);
  if (auto* refusal = std::get_if<web::Problem>(&caller)) return std::move(*refusal);
  const auto& known = std::get<Caller>(caller);
  if (!known.read_only) return std::nullopt;
  return web::Problem{.status = 403,
                      .detail = "the token '" + known.token + "' is read-only and " + doing,
                      .advice = "make another one with `howdah portal token`, without --read-only"};
}

void Perform(Services& services, const web::Request& request, const web::Arguments& arguments, Action action,
             web::Respond respond) {
  if (services.facts.read_only) {
    return respond(
        web::ToResponse({.status = 403,
                         .detail = "this portal was started with --read-only and changes nothing",
                         .advice = "use `howdah " + action.name + "`, or start the portal without --read-only"}));
  }
  if (const auto refusal = RefuseReadOnly(services, request, "changes nothing"))
    return respond(web::ToResponse(*refusal));
  const auto caller = services.CallerOf(request);
  const auto job = FindJob(services, arguments.Text("id"));
  if (!job.ok()) return respond(web::ToResponse(ToProblem(job.error())));
  AuditEntry entry{.time = services.clock.Now(),
                   .peer = request.peer,
                   .user = services.facts.user,
                   .token = std::holds_alternative<Caller>(caller) ? std::get<Caller>(caller).token : "",
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
