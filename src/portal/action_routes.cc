#include <utility>

#include "action_bodies.h"
#include "actions.h"
#include "api.h"
#include "howdah/base/text.h"
#include "howdah/core/states.h"
#include "json_text.h"

namespace howdah::portal {
namespace {

using backend::Cluster;
using web::Arguments;
using web::Request;
using web::Respond;
using web::Response;

Response Accepted(const Json& json, int status) { return web::Json(Dump(json) + "\n", status); }

void Kill(Services& services, const Request& request, const Arguments& arguments, Respond respond) {
  const auto grace = GraceOf(request.body);
  if (!grace.ok()) return respond(web::ToResponse(ToProblem(grace.error())));
  const Act act = [grace = *grace, by = services.facts.requester](Cluster& cluster,
                                                                  const JobId& id) -> Result<Response> {
    HOWDAH_TRY(const journal::JobView view, cluster.Status(id));
    const std::string state(core::ToText(view.state));
    if (core::IsFinal(view.state))
      return Accepted({{"text", id.text + " has already finished: " + state + "; nothing to do"}, {"state", state}},
                      200);
    HOWDAH_TRY(const std::string note, cluster.Stop(id, by, grace));
    return Accepted({{"text", id.text + " is being stopped" + (note.empty() ? "" : ": " + note)}, {"state", state}},
                    202);
  };
  Perform(services, request, arguments, {.name = "kill", .arguments = request.body, .act = act}, std::move(respond));
}

void Scale(Services& services, const Request& request, const Arguments& arguments, Respond respond) {
  const auto order = ScaleOrderOf(request.body);
  if (!order.ok()) return respond(web::ToResponse(ToProblem(order.error())));
  const Act act = [order = *order, by = services.facts.requester](Cluster& cluster,
                                                                  const JobId& id) -> Result<Response> {
    HOWDAH_TRY(const journal::JobView view, cluster.Status(id));
    if (core::IsFinal(view.state)) {
      return web::ToResponse(
          {.status = 409, .detail = id.text + " has already finished: " + std::string(core::ToText(view.state))});
    }
    HOWDAH_TRY_STATUS(cluster.Scale(id, order.role, order.instances, by));
    return Accepted({{"text", id.text + ": scaling " + order.role + " to " + CountOf(order.instances, "task")}}, 202);
  };
  Perform(services, request, arguments, {.name = "scale", .arguments = request.body, .act = act}, std::move(respond));
}

using Handle = void (*)(Services&, const Request&, const Arguments&, Respond);
auto ActionHandler(Services& services, Handle handle) {
  return [&services, handle](const Request& request, const Arguments& arguments, Respond respond) {
    handle(services, request, arguments, std::move(respond));
  };
}

}  // namespace

void AddActionRoutes(Services& services, web::Routes& routes) {
  const std::pair<int, std::string> read_only = {403, "The portal was started with `--read-only`."};
  routes.Add({.method = "POST",
              .pattern = Path("jobs/{id}/kill"),
              .summary = "Stop a job",
              .parameters = {JobParameter()},
              .body_schema = R"({"type": "object", "additionalProperties": false, "properties": {"grace": {
  "type": ["string", "null"], "description": "Time between the stop signal and SIGKILL: 30s"}}})",
              .answer = "202 as soon as the job has begun to stop; 200 if it had ended before.",
              .answer_schema = R"({"type": "object", "required": ["text", "state"], "properties": {
  "text": {"type": "string"}, "state": {"type": "string"}}})",
              .errors = {read_only},
              .tag = "Actions",
              .handler = ActionHandler(services, Kill)});
  routes.Add(
      {.method = "POST",
       .pattern = Path("jobs/{id}/scale"),
       .summary = "Change the number of tasks of an elastic role",
       .parameters = {JobParameter()},
       .body_schema = R"({"type": "object", "additionalProperties": false, "required": ["role", "instances"],
  "properties": {"role": {"type": "string"}, "instances": {"type": "integer", "minimum": 0}}})",
       .answer = "202 when the job has accepted the order.",
       .answer_schema = R"({"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}}})",
       .errors = {read_only, {409, "The job has ended."}},
       .tag = "Actions",
       .handler = ActionHandler(services, Scale)});
}

}  // namespace howdah::portal
