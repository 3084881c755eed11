// Notebooks: jobs with the tag of `howdah notebook`.
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <utility>

#include "action_bodies.h"
#include "actions.h"
#include "api.h"
#include "howdah/advice/advice.h"
#include "howdah/backend/job_metrics.h"
#include "howdah/client/notebook.h"
#include "howdah/jobspec/job_file.h"
#include "job_rows.h"
#include "json_text.h"
#include "submission.h"

namespace howdah::portal {
namespace {

using backend::Cluster;
using web::Arguments;
using web::Request;
using web::Respond;
using web::Response;

constexpr size_t kMostNotebooks = 1000;

// The running notebooks. The threads of the backends fill in the details of their own ones.
struct Notebooks {
  std::vector<RowPointer> rows;
  Instant now;
  std::mutex mutex;                     // of `details`
  std::map<std::string, Json> details;  // by id
};

Json NoDetails() { return {{"ends_at", nullptr}, {"idle_seconds", nullptr}}; }

// When the job ends in any case, and for how long no kernel was busy; null if the backend does not say.
Json DetailsOf(Cluster& cluster, const JobRow& row) {
  Json details = NoDetails();
  const auto text = cluster.JobFile(JobId{row.id});
  const auto spec = text.ok() ? jobspec::ReadEffective(*text) : Result<jobspec::JobSpec>(text.error());
  if (spec.ok() && spec->timeouts.run && row.started)
    details["ends_at"] = FormatInstant(*row.started + *spec->timeouts.run);
  metrics::Query query;
  query.series = {std::string(advice::kNotebookIdleSeries)};
  const auto read = cluster.Metrics(JobId{row.id}, query);
  if (!read.ok()) return details;
  for (const metrics::Column& column : read->table.columns) details["idle_seconds"] = OrNull(column.last);
  return details;
}

Response NotebooksAnswer(Notebooks& notebooks) {
  const std::lock_guard lock(notebooks.mutex);
  std::string rows;
  for (const RowPointer& row : notebooks.rows) {
    rows += (rows.empty() ? "" : ",\n ") + JoinObjects(RowJson(*row, notebooks.now), Dump(notebooks.details[row->id]));
  }
  return web::Json("{\"notebooks\":[" + rows + "]}\n");
}

void ListNotebooks(Services& services, const Respond& respond) {
  const Instant now = services.clock.Now();
  const std::string text = "state:live tag:" + std::string(client::kNotebookTag);
  const auto filter = index::query::ParseFilter(text, services.facts.user, now);
  const JobQuery query{.filter = std::get<index::query::Filter>(filter), .limit = kMostNotebooks, .now = now};
  services.FindPage(query, [&services, now, respond](const JobPage& page) {
    const auto notebooks = std::make_shared<Notebooks>();
    notebooks->rows = page.rows;
    notebooks->now = now;
    std::set<std::string> backends;
    for (const RowPointer& row : page.rows) {
      backends.insert(row->backend);
      notebooks->details[row->id] = NoDetails();
    }
    const auto work = [notebooks](Cluster& cluster, const std::string& backend) -> Status {
      for (const RowPointer& row : notebooks->rows) {
        if (row->backend != backend || row->state != core::JobState::kRunning) continue;
        Json details = DetailsOf(cluster, *row);
        const std::lock_guard lock(notebooks->mutex);
        notebooks->details[row->id] = std::move(details);
      }
      return {};
    };
    // A backend that does not answer in time leaves its notebooks without details.
    Ask(services, {backends.begin(), backends.end()}, work,
        [notebooks, respond](const auto&) { respond(NotebooksAnswer(*notebooks)); });
  });
}

void StartNotebook(Services& services, const Request& request, const Arguments&, const Respond& respond) {
  const auto order = NotebookOrderOf(request.body);
  if (!order.ok()) return respond(web::ToResponse(ToProblem(order.error())));
  if (const auto refusal = RefuseChange(services, request, "notebook")) return respond(web::ToResponse(*refusal));
  BackendService* const backend = order->backend.empty() ? &services.backends.front() : services.Find(order->backend);
  if (backend == nullptr)
    return respond(web::ToResponse(
        {400, "on: this portal does not show the backend '" + Shown(order->backend) + "'", "see `GET health`"}));
  const auto submitted = std::make_shared<std::string>();
  const auto make = [order = *order, user = services.facts.user, submitted](Cluster& cluster) -> Result<Response> {
    HOWDAH_TRY(const jobspec::ParsedJob job, client::ReadJob(client::NotebookRequest(order.job, order.notebook)));
    // The refusals of a job with problems would have no meaning.
    const auto refusals = job.problems.empty() ? cluster.Check(job.spec).refusals : std::vector<std::string>();
    if (const std::string reason = ReasonNotToSubmit(job, refusals); !reason.empty())
      return web::ToResponse({.status = 400, .detail = reason});
    HOWDAH_TRY(const JobId id, cluster.Submit(job.spec, {.user = user}));
    *submitted = id.text;
    return SubmittedAnswer(id);
  };
  const auto finish = [&services, request, respond, submitted](const Response& response) {
    // `make` has returned if the response is its own.
    const std::string outcome = response.status == 202 ? "done" : "refused";
    Record(services, request, {.name = "notebook", .arguments = request.body}, outcome == "done" ? *submitted : "",
           outcome);
    respond(response);
  };
  AnswerFrom(services, *backend, make, finish, StillSubmittingAnswer());
}

}  // namespace

void AddNotebookRoutes(Services& services, web::Routes& routes) {
  routes.Add({.method = "GET",
              .pattern = Path("notebooks"),
              .summary = "List the running notebooks",
              .answer = "Rows as in `GET jobs`: those that have not ended and have the tag `notebook`. `idle_seconds`: "
                        "for how long no kernel was busy, as of the last minute; null if the task does not report it. "
                        "`ends_at`: the end of `--limit`.",
              .answer_schema = R"({"type": "object", "required": ["notebooks"], "properties": {
  "notebooks": {"type": "array", "items": {"allOf": [{"$ref": "#/components/schemas/JobRow"},
    {"type": "object", "required": ["idle_seconds", "ends_at"], "properties": {
      "idle_seconds": {"type": ["number", "null"]}, "ends_at": {"type": ["string", "null"]}}}]}}}})",
              .tag = "Notebooks",
              .handler = [&services](const Request&, const Arguments&, const Respond& respond) {
                ListNotebooks(services, respond);
              }});
  routes.Add({.method = "POST",
              .pattern = Path("notebooks"),
              .summary = "Start a notebook, as `howdah notebook` does",
              .body_schema = R"({"type": "object", "additionalProperties": false, "properties": {
  "on": {"type": ["string", "null"], "description": "The backend; otherwise the first one"},
  "name": {"type": ["string", "null"]}, "memory": {"type": ["string", "null"], "description": "8GiB"},
  "vcores": {"type": ["integer", "null"]}, "gpus": {"type": ["integer", "null"]},
  "python": {"type": ["string", "null"], "description": "A packed environment, on the portal's machine"},
  "queue": {"type": ["string", "null"]},
  "directory": {"type": ["string", "null"], "description": "For notebooks, on the machine of the task"},
  "idle": {"type": ["string", "null"], "description": "1h; 0s: never"},
  "limit": {"type": ["string", "null"], "description": "24h"}}})",
              .answer =
                  "`POST jobs/{id}/open` with `notebook` opens it. `id` is null if copying the files takes longer "
                  "than 10 s; the submission continues.",
              .answer_schema = R"({"type": "object", "required": ["text", "id"], "properties": {
  "text": {"type": "string"}, "id": {"type": ["string", "null"]}}})",
              .answer_statuses = {202},
              .errors = {{403, "The portal was started with `--read-only`, or the token is read-only."}},
              .tag = "Notebooks",
              .handler = [&services](const Request& request, const Arguments& arguments, const Respond& respond) {
                StartNotebook(services, request, arguments, respond);
              }});
}

}  // namespace howdah::portal
