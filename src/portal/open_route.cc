#include <utility>

#include "action_bodies.h"
#include "actions.h"
#include "api.h"
#include "apps.h"
#include "howdah/client/find_task.h"
#include "howdah/client/notebook.h"
#include "howdah/core/states.h"
#include "howdah/frameworks/tensorboard.h"
#include "howdah/jobspec/job_file.h"
#include "json_text.h"
#include "open_request.h"

namespace howdah::portal {
namespace {

using backend::Cluster;
using web::Arguments;
using web::Request;
using web::Respond;
using web::Response;

constexpr Duration kNotebookPatience = std::chrono::seconds(5);  // the page asks again

// A server of a job, and the path and query that a browser opens there.
struct Found {
  AppServer server;
  std::string landing = "/";
};

Result<Found> FindTensorBoard(Cluster& cluster, const journal::JobView& view) {
  if (!view.tensorboard_url.empty()) return Found{{.job = view.id, .port = frameworks::PortOf(view.tensorboard_url)}};
  if (!view.tensorboard_advice.empty()) return Failed(view.tensorboard_advice);
  HOWDAH_TRY(const std::string text, cluster.JobFile({view.id}));
  HOWDAH_TRY(const jobspec::JobSpec spec, jobspec::ReadEffective(text));
  if (spec.tensorboard_logdir.empty())
    return Error::WithRemedy(ErrorCode::kFailed, view.id + " has no TensorBoard",
                             "set `tensorboard: {logdir: ...}` in the job file");
  return Error::WithRemedy(ErrorCode::kFailed, "TensorBoard of " + view.id + " is still starting",
                           "try again in a few seconds");
}

Result<Found> FindNotebook(Cluster& cluster, const journal::JobView& view) {
  HOWDAH_TRY(const rpc::AmContact am, cluster.Contact({view.id}));
  const auto server = client::FindNotebookServer(am, kNotebookPatience, client::Signals::kToCaller);
  if (!server.ok())
    return Error::WithRemedy(ErrorCode::kFailed, "the notebook in " + view.id + ": " + server.error().message,
                             "it may still be starting; try again in a few seconds");
  const client::TaskName task = client::NotebookTask();
  return Found{{view.id, task.role, task.index, server->port}, "/" + server->Landing()};
}

Result<Found> FindServer(Cluster& cluster, const JobId& id, const OpenOrder& order) {
  HOWDAH_TRY(const journal::JobView view, cluster.Status(id));
  if (core::IsFinal(view.state))
    return Error::WithRemedy(
        ErrorCode::kFailed, id.text + " has already finished: " + std::string(core::ToText(view.state)),
        order.what == OpenOrder::What::kTensorBoard ? "`howdah tensorboard " + id.text + "` shows its event files"
                                                    : "its servers have ended with it");
  switch (order.what) {
    case OpenOrder::What::kTensorBoard:
      return FindTensorBoard(cluster, view);
    case OpenOrder::What::kNotebook:
      return FindNotebook(cluster, view);
    case OpenOrder::What::kPort:
      break;
  }
  HOWDAH_TRY(const client::TaskName task, client::FindTask(order.task, view));
  return Found{{id.text, task.role, task.index, order.port}};
}

void OpenServer(Services& services, const Request& request, const Arguments& arguments, const Respond& respond) {
  const auto order = OpenOrderOf(request.body);
  if (!order.ok()) return respond(web::ToResponse(ToProblem(order.error())));
  const auto opener = OpenerOf(services, request);
  if (const auto* problem = std::get_if<web::Problem>(&opener)) return respond(web::ToResponse(*problem));
  const auto found = std::make_shared<Found>();
  const Act act = [found, order = *order](Cluster& cluster, const JobId& id) -> Result<Response> {
    auto server = FindServer(cluster, id, order);
    if (!server.ok() && server.error().code == ErrorCode::kFailed)
      return web::ToResponse({409, server.error().WithoutRemedy(), server.error().remedy});
    HOWDAH_TRY(*found, std::move(server));
    return Response{};
  };
  // `act` has returned if the response is its own, so `found` is complete.
  const auto finish = [found, opener = std::get<AppOpener>(opener), address = AddressFor(request, order->by_name),
                       &services, respond](Response response) {
    if (response.status != 200) return respond(std::move(response));
    const auto url = services.apps->Open(found->server, opener, found->landing, address);
    respond(url.ok() ? web::Json(Dump({{"url", *url}}) + "\n") : web::ToResponse(ToProblem(url.error())));
  };
  Perform(services, request, arguments, {.name = "open", .arguments = request.body, .act = act}, finish);
}

}  // namespace

void AddOpenRoute(Services& services, web::Routes& routes) {
  routes.Add({.method = "POST",
              .pattern = Path("jobs/{id}/open"),
              .summary = "Open a server of a job in a browser",
              .parameters = {JobParameter()},
              .body_schema = R"({"type": "object", "additionalProperties": false, "properties": {
  "tensorboard": {"type": "boolean", "description": "The TensorBoard of the running job"},
  "notebook": {"type": "boolean", "description": "JupyterLab of `howdah notebook`"},
  "task": {"type": "string", "description": "Any other server: its task, `worker:0`"},
  "port": {"type": "integer", "minimum": 1, "maximum": 65535, "description": "And its port on the loopback interface"},
  "address": {"enum": ["name", "port", null],
    "description": "Whether the address is a host name below `localhost`, or a port of its own"}}})",
              .answer =
                  "An address that is valid once, for 30 s, and gives the browser a cookie of that address. Without "
                  "`address` it is a host name, except for Safari, which does not resolve such names.",
              .answer_schema = R"({"type": "object", "required": ["url"], "properties": {"url": {"type": "string"}}})",
              .errors = {{403, "The portal was started with `--read-only`, or the token is read-only."},
                         {409, "The job has ended, has no such server, or the server is still starting."}},
              .tag = "Actions",
              .handler = [&services](const Request& request, const Arguments& arguments, const Respond& respond) {
                OpenServer(services, request, arguments, respond);
              }});
}

}  // namespace howdah::portal
