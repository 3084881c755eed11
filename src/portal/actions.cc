#include "actions.h"

#include <cstdio>
#include <utility>

namespace howdah::portal {
namespace {

AuditEntry EntryFor(Services& services, const web::Request& request, const Action& action, const std::string& job) {
  const auto caller = services.CallerOf(request);
  return {.time = services.clock.Now(),
          .peer = request.peer,
          .user = services.facts.user,
          .token = std::holds_alternative<Caller>(caller) ? std::get<Caller>(caller).token : "",
          .action = action.name,
          .job = job,
          .arguments = action.arguments};
}

void Write(AuditLog& audit, const AuditEntry& entry) {
  const Status written = audit.Write(entry);
  if (!written.ok()) std::fprintf(stderr, "howdah: recording an action: %s\n", written.error().message.c_str());
}

}  // namespace

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

std::optional<web::Problem> RefuseChange(Services& services, const web::Request& request, const std::string& command) {
  if (services.facts.read_only) {
    return web::Problem{.status = 403,
                        .detail = "this portal was started with --read-only and changes nothing",
                        .advice = "use `howdah " + command + "`, or start the portal without --read-only"};
  }
  return RefuseReadOnly(services, request, "changes nothing");
}

void Record(Services& services, const web::Request& request, const Action& action, const std::string& job,
            const std::string& outcome) {
  AuditEntry entry = EntryFor(services, request, action, job);
  entry.outcome = outcome;
  Write(*services.audit, entry);
}

void Perform(Services& services, const web::Request& request, const web::Arguments& arguments, Action action,
             web::Respond respond) {
  if (const auto refusal = RefuseChange(services, request, action.name)) return respond(web::ToResponse(*refusal));
  const auto job = FindJob(services, arguments.Text("id"));
  if (!job.ok()) return respond(web::ToResponse(ToProblem(job.error())));
  const auto make = [act = std::move(action.act), entry = EntryFor(services, request, action, job->id.text),
                     audit = services.audit.get(),
                     id = job->id](backend::Cluster& cluster) mutable -> Result<web::Response> {
    auto response = act(cluster, id);
    const bool refused = response.ok() && response->status >= 400;
    entry.outcome = !response.ok() ? response.error().message : refused ? "refused" : "done";
    Write(*audit, entry);
    return response;
  };
  AnswerForJob(services, *job, make, std::move(respond), std::move(action.late));
}

}  // namespace howdah::portal
