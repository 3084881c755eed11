#include <algorithm>
#include <utility>

#include "api.h"
#include "howdah/base/version.h"
#include "howdah/index/query/filter.h"
#include "job_rows.h"
#include "json_text.h"

namespace howdah::portal {
namespace {

using web::ValueType;

constexpr int64_t kMostRowsPerPage = 1000, kMostCsvRows = 10'000;

std::string FacetsJson(const JobPage& page) {
  Json json = Json::object();
  for (const auto& [name, values] : page.facets) {
    Json list = Json::array();
    for (const auto& [value, count] : values) list.push_back({{"value", value}, {"count", count}});
    json[name] = std::move(list);
  }
  return Dump(json);
}

bool IsComplete(const Services& services) {
  return std::all_of(services.backends.begin(), services.backends.end(),
                     [](const BackendService& backend) { return backend.state.complete; });
}

// One sentence for each backend whose rows may be old, and one if the index cannot be used.
Json NotesJson(const Services& services) {
  Json notes = Json::array();
  if (!services.jobs->problem().empty()) notes.push_back(services.jobs->problem());
  for (const BackendService& backend : services.backends) {
    if (backend.state.kind != BackendState::Kind::kFailing) continue;
    notes.push_back("the backend '" + backend.name + "' has not answered since " + FormatInstant(backend.state.since) +
                    ": " + backend.state.detail);
  }
  return notes;
}

web::Response PageJson(const Services& services, const JobQuery& query, const JobPage& page) {
  std::string rows;
  for (const RowPointer& row : page.rows) rows += (rows.empty() ? "" : ",\n ") + RowJson(*row, query.now);
  const auto next = page.more
                        ? Json(WriteCursor(query.order, PositionOf(*page.rows.back(), query.order.column, query.now)))
                        : Json(nullptr);
  return web::Json("{\"total\":" + std::to_string(page.total) +
                   ",\"complete\":" + (IsComplete(services) ? "true" : "false") + ",\"next\":" + Dump(next) +
                   ",\"jobs\":[" + rows + "]" + (query.facets ? ",\"facets\":" + FacetsJson(page) : "") +
                   ",\"notes\":" + Dump(NotesJson(services)) + "}\n");
}

web::Response PageCsv(const JobQuery& query, const JobPage& page) {
  std::string text = RowCsvTitles();
  for (const RowPointer& row : page.rows) text += RowCsv(*row, query.now);
  return {200, {{"Content-Type", "text/csv; charset=utf-8"}, {"Vary", "Accept"}}, text};
}

web::Response MistakeAnswer(const index::query::FilterMistake& mistake) {
  const Json json = {{"status", 400},
                     {"title", web::StatusTitle(400)},
                     {"detail", mistake.text},
                     {"advice", ""},
                     {"position", mistake.position}};
  web::Response response = web::Json(Dump(json) + "\n", 400);
  response.headers.Set("Content-Type", "application/problem+json");
  return response;
}

void ListJobs(Services& services, const web::Request& request, const web::Arguments& arguments, web::Respond respond) {
  JobQuery query{.limit = static_cast<size_t>(arguments.Integer("limit").value_or(50)),
                 .facets = arguments.Flag("facets"),
                 .now = services.clock.Now()};
  auto filter = index::query::ParseFilter(arguments.Text("q"), services.facts.user, query.now);
  if (const auto* mistake = std::get_if<index::query::FilterMistake>(&filter)) return respond(MistakeAnswer(*mistake));
  query.filter = std::get<index::query::Filter>(std::move(filter));
  const auto order = index::query::ParseOrder(arguments.Text("sort"));
  if (!order.ok()) return respond(web::ToResponse(ToProblem(order.error())));
  query.order = *order;
  if (!arguments.Text("after").empty()) {
    auto after = index::query::ReadCursor(arguments.Text("after"), query.order);
    if (!after.ok()) return respond(web::ToResponse(ToProblem(after.error())));
    query.after = std::move(*after);
  }
  if (request.Accepts("text/csv")) {
    query.limit = kMostCsvRows;
    query.after = std::nullopt;
    services.FindPage(query, [query, respond](const JobPage& page) { respond(PageCsv(query, page)); });
  } else {
    services.FindPage(query,
                      [&services, query, respond](const JobPage& page) { respond(PageJson(services, query, page)); });
  }
}

std::string_view StateText(BackendState::Kind kind) {
  switch (kind) {
    case BackendState::Kind::kLoading:
      return "loading";
    case BackendState::Kind::kOk:
      return "ok";
    case BackendState::Kind::kFailing:
      return "failing";
  }
  return "";
}

web::Response HealthAnswer(const Services& services) {
  const Instant now = services.clock.Now();
  Json backends = Json::array();
  for (const BackendService& backend : services.backends) {
    const auto count = [&](const std::string& filter) {
      const auto parsed = index::query::ParseFilter("backend:" + backend.name + filter, "", now);
      return services.jobs->Find({.filter = std::get<index::query::Filter>(parsed), .limit = 0, .now = now}).total;
    };
    backends.push_back({{"name", backend.name},
                        {"runs_jobs", backend.runs_jobs},
                        {"state", StateText(backend.state.kind)},
                        {"detail", OrNull(backend.state.detail)},
                        {"since", FormatInstant(backend.state.since)},
                        {"jobs", count("")},
                        {"live", count(" state:live")},
                        {"complete", backend.state.complete}});
  }
  return web::Json(Dump({{"version", kVersion},
                         {"started", FormatInstant(services.facts.started)},
                         {"now", FormatInstant(now)},
                         {"user", services.facts.user},
                         {"host", services.facts.host},
                         {"read_only", services.facts.read_only},
                         {"streams", services.hub->readers()},
                         {"backends", std::move(backends)}}) +
                   "\n");
}

}  // namespace

void AddListRoutes(Services& services, web::Routes& routes) {
  routes.Add(
      {.method = "GET",
       .pattern = Path("jobs"),
       .summary = "List jobs",
       .parameters = {{.name = "q",
                       .help = "The filter, as in the box of the page: words, and `state: user: queue: name: tag: "
                               "framework: backend: node: check: since: until: took: gpus: goodput:`. A mistake is "
                               "explained with its `position`.",
                       .max_bytes = index::query::kLongestFilter},
                      {.name = "sort",
                       .help = "A column, with `-` in front for descending order. Unknown values come last.",
                       .default_text = "-submitted"},
                      {.name = "limit",
                       .type = ValueType::kInteger,
                       .help = "The number of jobs on a page.",
                       .default_text = "50",
                       .min = 1,
                       .max = kMostRowsPerPage},
                      {.name = "after", .help = "`next` of the previous page, with the same `q` and `sort`."},
                      {.name = "facets",
                       .type = ValueType::kFlag,
                       .help = "Add the most frequent states, users, queues, frameworks, backends and tags of all jobs "
                               "that match.",
                       .default_text = "0"}},
       .answer = "One page of jobs. `complete` is false until every job of each backend was read once. With "
                 "`Accept: text/csv` all jobs, at most 10,000, one per line.",
       .answer_schema = R"({"type": "object", "required": ["total", "complete", "next", "jobs", "notes"],
  "properties": {"total": {"type": "integer"}, "complete": {"type": "boolean"}, "next": {"type": ["string", "null"]},
    "jobs": {"type": "array", "items": {"$ref": "#/components/schemas/JobRow"}},
    "facets": {"type": "object", "additionalProperties": {"type": "array", "items": {"type": "object",
      "required": ["value", "count"], "properties": {"value": {"type": "string"}, "count": {"type": "integer"}}}}},
    "notes": {"type": "array", "items": {"type": "string"}}}})",
       .tag = "Jobs",
       .handler = [&services](const web::Request& request, const web::Arguments& arguments, web::Respond respond) {
         ListJobs(services, request, arguments, std::move(respond));
       }});
  routes.Add({.method = "GET",
              .pattern = Path("health"),
              .summary = "Show the state of the portal and its backends",
              .answer = "`state` of a backend is `loading` until all of its jobs were read, `ok`, or `failing` with "
                        "the reason in `detail`. `runs_jobs` is false for a history, which only has past jobs.",
              .answer_schema = R"({"type": "object", "required": ["version", "started", "now", "user", "read_only",
  "backends"], "properties": {"version": {"type": "string"}, "started": {"type": "string"}, "now": {"type": "string"},
    "user": {"type": "string"}, "host": {"type": "string"}, "read_only": {"type": "boolean"},
    "streams": {"type": "integer"}, "backends": {"type": "array", "items": {"type": "object",
      "required": ["name", "runs_jobs", "state", "detail", "since", "jobs", "live", "complete"], "properties": {
        "name": {"type": "string"}, "runs_jobs": {"type": "boolean"}, "state": {"enum": ["loading", "ok", "failing"]},
        "detail": {"type": ["string", "null"]}, "since": {"type": "string"}, "jobs": {"type": "integer"},
        "live": {"type": "integer"}, "complete": {"type": "boolean"}}}}}})",
              .tag = "Portal",
              .handler = [&services](const web::Request&, const web::Arguments&, const web::Respond& respond) {
                respond(HealthAnswer(services));
              }});
}

}  // namespace howdah::portal
