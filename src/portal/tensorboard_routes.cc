// The TensorBoards that the portal runs.
#include <utility>

#include "action_bodies.h"
#include "actions.h"
#include "api.h"
#include "json_text.h"
#include "open_request.h"
#include "tensorboards.h"

namespace howdah::portal {
namespace {

using web::Arguments;
using web::Request;
using web::Respond;

constexpr Duration kStartPatience = std::chrono::seconds(9);  // the page asks again
constexpr int64_t kMostLive = 1000;

Json JobsJson(Services& services, const std::vector<std::string>& ids) {
  Json jobs = Json::array();
  for (const std::string& id : ids) {
    const auto job = FindJob(services, id);
    const RowPointer row = job.ok() ? services.jobs->Get(job->key()) : nullptr;
    jobs.push_back({{"id", id}, {"name", row ? OrNull(row->name) : Json(nullptr)}});
  }
  return jobs;
}

// The running jobs that have a TensorBoard of their own.
Json LiveJson(const Services& services) {
  const Instant now = services.clock.Now();
  const auto filter = index::query::ParseFilter("state:live", services.facts.user, now);
  const JobPage page = services.jobs->Find(
      {.filter = std::get<index::query::Filter>(filter), .limit = static_cast<size_t>(kMostLive), .now = now});
  Json live = Json::array();
  for (const RowPointer& row : page.rows) {
    const Json status = ParseJson(row->status_json);
    const auto urls = status.is_object() ? status.find("urls") : status.end();
    if (urls == status.end() || !urls->is_object() || !urls->contains("tensorboard")) continue;
    if (urls->at("tensorboard").is_string()) live.push_back({{"id", row->id}, {"name", OrNull(row->name)}});
  }
  return live;
}

void ListTensorBoards(Services& services, const Request&, const Arguments&, const Respond& respond) {
  Json list = Json::array();
  for (const TensorBoards::View& view : services.tensorboards->List()) {
    list.push_back({{"id", view.id},
                    {"jobs", JobsJson(services, view.jobs)},
                    {"state", ToText(view.state)},
                    {"problem", OrNull(view.problem)},
                    {"started", FormatInstant(view.started)},
                    {"used", FormatInstant(view.used)},
                    {"ends", FormatInstant(view.Ends())}});
  }
  respond(web::Json(Dump({{"tensorboards", std::move(list)}, {"live", LiveJson(services)}}) + "\n"));
}

void StartTensorBoard(Services& services, const Request& request, const Arguments&, const Respond& respond) {
  const auto names = TensorBoardJobsOf(request.body);
  if (!names.ok()) return respond(web::ToResponse(ToProblem(names.error())));
  if (const auto refusal = RefuseChange(services, request, "tensorboard " + names->front()))
    return respond(web::ToResponse(*refusal));
  std::vector<FoundJob> jobs;
  std::string ids;
  for (const std::string& name : *names) {
    auto job = FindJob(services, name);
    if (!job.ok()) return respond(web::ToResponse(ToProblem(job.error())));
    ids += (ids.empty() ? "" : " ") + job->id.text;
    jobs.push_back(std::move(*job));
  }
  const auto id = services.tensorboards->Start(jobs);
  Record(services, request, {.name = "tensorboard", .arguments = request.body}, ids,
         id.ok() ? "done" : id.error().message);
  if (!id.ok()) return respond(web::ToResponse({409, id.error().WithoutRemedy(), id.error().remedy}));
  respond(web::Json(Dump({{"id", *id}, {"text", "a TensorBoard is being started"}}) + "\n", 202));
}

void OpenTensorBoard(Services& services, const Request& request, const Arguments& arguments, const Respond& respond) {
  const auto by_name = AddressOf(request.body);
  if (!by_name.ok()) return respond(web::ToResponse(ToProblem(by_name.error())));
  const std::string& id = arguments.Text("id");
  if (const auto refusal = RefuseChange(services, request, "tensorboard")) return respond(web::ToResponse(*refusal));
  const auto opener = OpenerOf(services, request);
  if (const auto* problem = std::get_if<web::Problem>(&opener)) return respond(web::ToResponse(*problem));
  services.tensorboards->WhenServing(
      id, kStartPatience,
      [&services, id, opener = std::get<AppOpener>(opener), address = AddressFor(request, *by_name),
       respond](const Status& status) {
        if (!status.ok() && status.error().code == ErrorCode::kFailed)
          return respond(web::ToResponse({409, status.error().message, ""}));
        if (!status.ok()) return respond(web::ToResponse(ToProblem(status.error())));
        const auto url = services.apps->Open({.tensorboard = id}, opener, "/", address);
        respond(url.ok() ? web::Json(Dump({{"url", *url}}) + "\n") : web::ToResponse(ToProblem(url.error())));
      });
}

void StopTensorBoard(Services& services, const Request& request, const Arguments& arguments, const Respond& respond) {
  const auto fields = FieldsOf(request.body, {});
  if (!fields.ok()) return respond(web::ToResponse(ToProblem(fields.error())));
  if (const auto refusal = RefuseChange(services, request, "tensorboard")) return respond(web::ToResponse(*refusal));
  const std::string& id = arguments.Text("id");
  if (!services.tensorboards->Stop(id))
    return respond(web::ToResponse({404, "no TensorBoard '" + Shown(id) + "' runs here", ""}));
  Record(services, request, {.name = "stop tensorboard", .arguments = Dump({{"id", id}})}, "", "done");
  respond(web::Json(Dump({{"text", "TensorBoard was stopped"}}) + "\n"));
}

using Handle = void (*)(Services&, const Request&, const Arguments&, const Respond&);

}  // namespace

void AddTensorBoardRoutes(Services& services, web::Routes& routes) {
  const auto handler = [&services](Handle handle) {
    return [&services, handle](const Request& request, const Arguments& arguments, const Respond& respond) {
      handle(services, request, arguments, respond);
    };
  };
  const std::pair<int, std::string> read_only = {
      403, "The portal was started with `--read-only`, or the token is read-only."};
  const web::Parameter id = {.name = "id", .help = "The id of the TensorBoard."};
  routes.Add({.method = "GET",
              .pattern = Path("tensorboards"),
              .summary = "List the TensorBoards that this portal runs, and the running jobs that have one",
              .answer =
                  "`state` is `reading` (the event files are being found or copied), `starting`, `serving` or "
                  "`failed`. `problem` says why it failed, or what it does not show. It ends at `ends`, 10 minutes "
                  "after the last request (`used`).",
              .answer_schema = R"({"type": "object", "required": ["tensorboards", "live"], "properties": {
  "tensorboards": {"type": "array", "items": {"type": "object",
    "required": ["id", "jobs", "state", "problem", "started", "used", "ends"], "properties": {
      "id": {"type": "string"}, "jobs": {"type": "array", "items": {"$ref": "#/components/schemas/NamedJob"}},
      "state": {"enum": ["reading", "starting", "serving", "failed"]}, "problem": {"type": ["string", "null"]},
      "started": {"type": "string"}, "used": {"type": "string"}, "ends": {"type": "string"}}}},
  "live": {"type": "array", "items": {"$ref": "#/components/schemas/NamedJob"}}}})",
              .tag = "Notebooks",
              .handler = handler(ListTensorBoards)});
  routes.Add({.method = "POST",
              .pattern = Path("tensorboards"),
              .summary = "Start a TensorBoard with the event files of jobs",
              .body_schema = R"({"type": "object", "additionalProperties": false, "required": ["jobs"], "properties": {
  "jobs": {"type": "array", "minItems": 1, "maxItems": 20, "items": {"type": "string"}}}})",
              .answer = "`tensorboard` of the PATH of the portal is started on this machine. Its runs have the ids of "
                        "the jobs. The TensorBoard that already shows the same jobs is used again.",
              .answer_schema = R"({"type": "object", "required": ["id", "text"], "properties": {
  "id": {"type": "string"}, "text": {"type": "string"}}})",
              .answer_statuses = {202},
              .errors = {read_only, {409, "The portal runs as many TensorBoards as it may."}},
              .tag = "Notebooks",
              .handler = handler(StartTensorBoard)});
  routes.Add({.method = "POST",
              .pattern = Path("tensorboards/{id}/open"),
              .summary = "Open a TensorBoard of the portal in a browser",
              .parameters = {id},
              .body_schema = R"({"type": "object", "additionalProperties": false, "properties": {
  "address": {"enum": ["name", "port", null], "description": "As in `POST jobs/{id}/open`"}}})",
              .answer = "As `POST jobs/{id}/open`. It waits up to 9 s for a TensorBoard that is starting.",
              .answer_schema = R"({"type": "object", "required": ["url"], "properties": {"url": {"type": "string"}}})",
              .errors = {read_only, {409, "It could not be started."}, {503, "It is still starting: ask again."}},
              .tag = "Notebooks",
              .handler = handler(OpenTensorBoard)});
  routes.Add(
      {.method = "POST",
       .pattern = Path("tensorboards/{id}/stop"),
       .summary = "Stop a TensorBoard of the portal",
       .parameters = {id},
       .body_schema = R"({"type": "object", "additionalProperties": false, "properties": {}})",
       .answer_schema = R"({"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}}})",
       .errors = {read_only},
       .tag = "Notebooks",
       .handler = handler(StopTensorBoard)});
}

}  // namespace howdah::portal
