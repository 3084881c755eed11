#include <algorithm>
#include <utility>

#include "actions.h"
#include "api.h"
#include "attempts.h"
#include "howdah/backend/job_metrics.h"
#include "howdah/base/text.h"
#include "howdah/client/adviser.h"
#include "howdah/client/goodput.h"
#include "howdah/client/goodput_json.h"
#include "howdah/client/metrics_json.h"
#include "howdah/client/secrets.h"
#include "howdah/index/query/filter.h"
#include "howdah/jobspec/job_file.h"
#include "howdah/journal/addresses.h"
#include "howdah/metrics/table.h"
#include "howdah/os/process/clock.h"
#include "job_rows.h"
#include "json_text.h"
#include "live_jobs.h"
#include "live_logs.h"
#include "run_differences.h"
#include "stored_job.h"
#include "trace.h"

namespace howdah::portal {
namespace {

using backend::Cluster;
using web::Arguments;
using web::Request;
using web::Respond;
using web::Response;
using web::ValueType;

constexpr int64_t kMostEvents = 10'000;

Response JsonLine(const std::string& json) { return web::Json(json + "\n"); }

Result<AttemptLog> ReadAttempts(Cluster& cluster, const JobId& id) {
  AttemptLog log;
  HOWDAH_TRY_STATUS(cluster.ReadJournal(id, [&](const core::JournalEntry& entry) { log.Take(entry); }));
  return log;
}

// A handler of a route below jobs/{id} whose answer is made from the job alone.
auto ForJob(Services& services, Result<Response> (*make)(Cluster&, const JobId&)) {
  return [&services, make](const Request&, const Arguments& arguments, Respond respond) {
    AnswerForJob(services, arguments.Text("id"), make, std::move(respond));
  };
}

void ShowJob(Services& services, const Request&, const Arguments& arguments, Respond respond) {
  const auto job = FindJob(services, arguments.Text("id"));
  if (!job.ok()) return respond(web::ToResponse(ToProblem(job.error())));
  const RowPointer row = services.jobs->Get(job->key());
  const std::string extra = row ? ExtraFieldsJson(*row, services.clock.Now()) : "{}";
  const auto make = [id = job->id, extra](Cluster& cluster) -> Result<Response> {
    HOWDAH_TRY(const journal::JobView view, cluster.Status(id));
    const Json more = {{"host", OrNull(view.host)}, {"logs", cluster.LogsLocation(id)}};
    return JsonLine(JoinObjects(JoinObjects(journal::ToJson(view, /*with_tasks=*/true), extra), Dump(more)));
  };
  AnswerForJob(services, *job, make, std::move(respond));
}

Result<Response> TasksAnswer(Cluster& cluster, const JobId& id) {
  HOWDAH_TRY(const journal::JobView view, cluster.Status(id));
  HOWDAH_TRY(const AttemptLog log, ReadAttempts(cluster, id));
  std::string attempts;
  for (const Attempt& attempt : log.Attempts())
    attempts += (attempts.empty() ? "" : ",\n ") + AttemptJson(attempt, /*with_spans=*/false);
  const Json status = ParseJson(journal::ToJson(view, /*with_tasks=*/true));
  return JsonLine("{\"tasks\":" + Dump(status["tasks"]) + ",\"attempts\":[" + attempts + "]}");
}

Result<Response> EventsAnswer(Cluster& cluster, const JobId& id, int64_t after, int64_t limit) {
  std::string events;
  int64_t number = 0, shown = 0;
  HOWDAH_TRY_STATUS(cluster.ReadJournal(id, [&](const core::JournalEntry& entry) {
    if (++number <= after || shown == limit) return;
    ++shown;
    events += (events.empty() ? "" : ",\n ") + EntryJson(number, entry);
  }));
  const int64_t next = std::max(std::min(after, number), shown == 0 ? 0 : after + shown);
  return JsonLine("{\"events\":[" + events + "],\"next\":" + std::to_string(next) +
                  ",\"more\":" + (next < number ? "true" : "false") + "}");
}

// The time breakdown until now, or until the end of the job.
journal::TimeBreakdown BreakdownOf(const journal::JobView& view) {
  journal::TimeBreakdown breakdown = view.time_breakdown;
  if (!core::IsFinal(view.state) && !breakdown.empty()) breakdown.Advance(os::process::Clock().Now());
  return breakdown;
}

// Without a checkpoint nothing counts as lost (TimeBreakdown::timeline).
journal::Stretches StretchesOf(const journal::TimeBreakdown& breakdown) {
  journal::Stretches stretches = breakdown.timeline().stretches();
  for (journal::Stretch& stretch : stretches) {
    if (stretch.what == journal::Spent::kLost && !breakdown.checkpointed()) stretch.what = journal::Spent::kRunning;
  }
  return stretches;
}

Result<Response> TimelineAnswer(Cluster& cluster, const JobId& id) {
  HOWDAH_TRY(const AttemptLog log, ReadAttempts(cluster, id));
  const journal::JobView& view = log.job();
  const journal::TimeBreakdown breakdown = BreakdownOf(view);
  Json stretches = Json::array(), generations = Json::array();
  for (const journal::Stretch& stretch : StretchesOf(breakdown)) {
    stretches.push_back({{"what", journal::ToText(stretch.what)},
                         {"from", FormatInstant(stretch.from)},
                         {"to", FormatInstant(stretch.to)}});
  }
  for (const auto& restart : breakdown.newest_restarts()) {
    generations.push_back({{"generation", restart.generation},
                           {"at", FormatInstant(restart.at)},
                           {"cause", restart.cause},
                           {"lost_seconds", Seconds(restart.lost)},
                           {"recovering_seconds", Seconds(restart.recovering)}});
  }
  std::string attempts, marks;
  for (const Attempt& attempt : log.Attempts())
    attempts += (attempts.empty() ? "" : ",\n ") + AttemptJson(attempt, /*with_spans=*/true);
  for (const Mark& mark : log.marks()) marks += (marks.empty() ? "" : ",\n ") + MarkJson(mark);
  const Json to = view.finished       ? OrNull(view.finished)
                  : breakdown.empty() ? Json(nullptr)
                                      : Json(FormatInstant(breakdown.now()));
  return JsonLine("{\"from\":" + Dump(OrNull(view.submitted)) + ",\"to\":" + Dump(to) +
                  ",\"stretches\":" + Dump(stretches) + ",\"generations\":" + Dump(generations) + ",\"attempts\":[" +
                  attempts + "],\"marks\":[" + marks + "]}");
}

Result<Response> TraceAnswer(Cluster& cluster, const JobId& id) {
  HOWDAH_TRY(const AttemptLog log, ReadAttempts(cluster, id));
  const Instant now = log.job().finished.value_or(os::process::Clock().Now());
  Response response = JsonLine(TraceJson(log, StretchesOf(BreakdownOf(log.job())), now));
  response.headers.Set("Content-Disposition", "attachment; filename=\"" + id.text + ".trace.json\"");
  return response;
}

// The view with addresses, which Status lacks.
Result<journal::JobView> ReadView(Cluster& cluster, const JobId& id) {
  journal::JobView view;
  HOWDAH_TRY_STATUS(cluster.ReadJournal(id, [&](const core::JournalEntry& entry) { view.Apply(entry); }));
  return view;
}

Result<Response> AddressesAnswer(Cluster& cluster, const JobId& id) {
  HOWDAH_TRY(const journal::JobView view, ReadView(cluster, id));
  Json roles = Json::object();
  for (const auto& [role, addresses] : journal::AddressesOf(view)) {
    Json list = Json::array();
    for (const journal::Address& address : addresses) {
      list.push_back({{"index", address.index},
                      {"host", address.host},
                      {"port", address.port},
                      {"container", OrNull(address.container)}});
    }
    roles[role] = std::move(list);
  }
  return JsonLine(Dump(roles));
}

void ShowExports(Services& services, const Arguments& arguments, Respond respond) {
  const auto make = [role = arguments.Text("role")](Cluster& cluster, const JobId& id) -> Result<Response> {
    HOWDAH_TRY(const journal::JobView view, ReadView(cluster, id));
    const auto exports = journal::SliderExports(view, role);
    if (!exports) return web::ToResponse({404, id.text + " has no task of a role '" + Shown(role) + "'", ""});
    return web::Json(*exports);
  };
  AnswerForJob(services, arguments.Text("id"), make, std::move(respond));
}

Json HiddenNames(const jobspec::JobSpec& spec) {
  Json names = Json::array();
  const auto add = [&](const std::string& path, const jobspec::EnvVars& env) {
    for (const auto& [name, value] : env) {
      if (client::LooksSecret(name)) names.push_back(path + name);
    }
  };
  add("env.", spec.env);
  for (const jobspec::RoleSpec& role : spec.roles) add("roles." + role.name + ".env.", role.env);
  return names;
}

// The newest earlier run of the job's name by the same user on the same backend.
std::optional<JobId> PreviousRun(const Services& services, const FoundJob& job) {
  const RowPointer row = services.jobs->Get(job.key());
  if (!row || !row->submitted) return std::nullopt;
  using Field = index::query::Term::Field;
  // The filter ignores letter case, and takes a '*' in a name as a wildcard.
  const JobQuery newest_first{.filter = {{.field = Field::kName, .patterns = {LowerCase(row->name)}},
                                         {.field = Field::kUser, .patterns = {LowerCase(row->user)}},
                                         {.field = Field::kBackend, .patterns = {LowerCase(row->backend)}},
                                         {.field = Field::kUntil, .at = *row->submitted}},
                              .limit = 100,
                              .now = services.clock.Now()};
  for (const RowPointer& other : services.jobs->Find(newest_first).rows) {
    if (other->name == row->name && other->user == row->user && other->backend == row->backend) return JobId{other->id};
  }
  return std::nullopt;
}

// The refusal if the request wants to see secrets with a read-only token.
std::optional<web::Problem> RefuseReveal(Services& services, const Request& request, const Arguments& arguments) {
  return arguments.Flag("reveal") ? RefuseReadOnly(services, request, "reveals no secrets") : std::nullopt;
}

void ShowConfig(Services& services, const Request& request, const Arguments& arguments, Respond respond) {
  if (const auto refusal = RefuseReveal(services, request, arguments)) return respond(web::ToResponse(*refusal));
  const auto job = FindJob(services, arguments.Text("id"));
  if (!job.ok()) return respond(web::ToResponse(ToProblem(job.error())));
  const auto make = [id = job->id, previous = PreviousRun(services, *job),
                     reveal = arguments.Flag("reveal")](Cluster& cluster) -> Result<Response> {
    HOWDAH_TRY(const jobspec::JobSpec spec, ReadStoredJob(cluster, id, reveal));
    Json before = nullptr;
    if (previous) {
      if (auto differences = DifferencesFrom(cluster, *previous, id); differences.ok())
        before = std::move(*differences);
    }
    return JsonLine("{\"job\":" + Dump(ParseJson(jobspec::WriteEffective(spec))) + ",\"hidden\":" +
                    Dump(reveal ? Json::array() : HiddenNames(spec)) + ",\"previous\":" + Dump(before) + "}");
  };
  AnswerForJob(services, *job, make, std::move(respond));
}

void ShowJobFile(Services& services, const Request& request, const Arguments& arguments, Respond respond) {
  if (const auto refusal = RefuseReveal(services, request, arguments)) return respond(web::ToResponse(*refusal));
  const auto make = [reveal = arguments.Flag("reveal"), download = arguments.Flag("download")](
                        Cluster& cluster, const JobId& id) -> Result<Response> {
    HOWDAH_TRY(const jobspec::JobSpec spec, ReadStoredJob(cluster, id, reveal));
    Response response{200, {{"Content-Type", "application/yaml; charset=utf-8"}}, jobspec::DescribeEffective(spec)};
    if (download) response.headers.Set("Content-Disposition", "attachment; filename=\"" + id.text + ".yaml\"");
    return response;
  };
  AnswerForJob(services, arguments.Text("id"), make, std::move(respond));
}

void ShowGoodput(Services& services, const Request&, const Arguments& arguments, Respond respond) {
  const auto make = [prices = services.facts.prices, now = services.clock.Now()](Cluster& cluster,
                                                                                 const JobId& id) -> Result<Response> {
    client::GoodputOptions options{.now = now};
    const client::Job job{&cluster, id};
    HOWDAH_TRY(const client::CountedJob counted, client::ReadJobForGoodput(job, options, [](const std::string&) {}));
    client::GoodputReport whole(client::GroupBy::kJob), days(client::GroupBy::kDay);
    whole.Add(counted);
    days.Add(counted);
    std::string by_day;
    for (const client::GoodputGroup& day : days.Groups())
      by_day += (by_day.empty() ? "" : ",\n ") + client::GroupJson(day, prices);
    HOWDAH_TRY(const journal::JobView view, cluster.Status(id));
    const Json status = ParseJson(journal::ToJson(view, /*with_tasks=*/true));
    return JsonLine("{\"job\":" + client::GroupJson(whole.total(), prices) + ",\"account\":" + Dump(status["account"]) +
                    ",\"days\":[" + by_day + "]}");
  };
  AnswerForJob(services, arguments.Text("id"), make, std::move(respond));
}

void ShowAdvice(Services& services, const Request&, const Arguments& arguments, Respond respond) {
  const auto make = [now = services.clock.Now()](Cluster& cluster, const JobId& id) -> Result<Response> {
    client::Adviser adviser(cluster, nullptr);
    HOWDAH_TRY(const auto findings, adviser.Advise(id, now));
    std::string list;
    for (const advice::Finding& finding : findings) list += (list.empty() ? "" : ",\n ") + advice::ToJson(finding);
    return JsonLine("{\"findings\":[" + list + "]}");
  };
  AnswerForJob(services, arguments.Text("id"), make, std::move(respond));
}

Result<metrics::Query> QueryOf(const Arguments& arguments, Instant now) {
  metrics::Query query;
  const std::string& of = arguments.Text("of");
  query.of = of == "role"   ? metrics::Query::Of::kRole
             : of == "rank" ? metrics::Query::Of::kRank
                            : metrics::Query::Of::kTask;
  query.series = arguments.Texts("series");
  query.points = static_cast<int>(arguments.Integer("points").value_or(0));
  for (const auto& [name, at] : {std::pair("from", &query.from), {"to", &query.to}}) {
    if (arguments.Text(name).empty()) continue;
    *at = index::query::ParseTimeOrAge(arguments.Text(name), now);
    if (!*at) {
      return Error{ErrorCode::kUsage, std::string(name) + ": '" + OneLine(arguments.Text(name), 100) +
                                          "' is not a time; write 2026-11-21T06:45:12.000Z, or a duration before now"};
    }
  }
  return query;
}

void ShowMetrics(Services& services, const Request&, const Arguments& arguments, Respond respond) {
  const auto query = QueryOf(arguments, services.clock.Now());
  if (!query.ok()) return respond(web::ToResponse(ToProblem(query.error())));
  const auto make = [query = *query, tasks = arguments.Texts("tasks")](Cluster& cluster,
                                                                       const JobId& id) -> Result<Response> {
    auto read = cluster.Metrics(id, query);
    if (!read.ok() && read.error().code == ErrorCode::kNotFound) {  // no job, or a job without metrics
      if (const auto job = cluster.Status(id); !job.ok()) return job.error();
      return JsonLine(client::MetricsJson({.table = {}, .stored = {}, .note = read.error().message}));
    }
    HOWDAH_TRY(backend::JobMetrics answer, std::move(read));
    const auto is_wanted = [&](const metrics::Column& column) {
      return tasks.empty() || std::any_of(tasks.begin(), tasks.end(), [&](const std::string& task) {
               return task == column.role || (column.index && task == TaskText(column.role, *column.index));
             });
    };
    std::erase_if(answer.table.columns, [&](const metrics::Column& column) { return !is_wanted(column); });
    return JsonLine(client::MetricsJson(answer));
  };
  AnswerForJob(services, arguments.Text("id"), make, std::move(respond));
}

using Show = void (*)(Services&, const Request&, const Arguments&, Respond);
auto With(Services& services, Show show) {
  return [&services, show](const Request& request, const Arguments& arguments, Respond respond) {
    show(services, request, arguments, std::move(respond));
  };
}

void AddStatusRoutes(Services& services, web::Routes& routes) {
  routes.Add({.method = "GET",
              .pattern = Path("jobs/{id}"),
              .summary = "Show a job",
              .parameters = {JobParameter()},
              .answer = "`howdah status --json` ([status.md](status.md)), and the further fields of the list.",
              .answer_schema = R"({"$ref": "#/components/schemas/Job"})",
              .tag = "Job",
              .handler = With(services, ShowJob)});
  routes.Add({.method = "GET",
              .pattern = Path("jobs/{id}/tasks"),
              .summary = "List the tasks of a job, and all of their attempts",
              .parameters = {JobParameter()},
              .answer = "`tasks` as in `howdah status --json`; `attempts` by role, index and number.",
              .answer_schema = R"({"type": "object", "required": ["tasks", "attempts"], "properties": {
  "tasks": {"type": "array", "items": {"$ref": "#/components/schemas/Task"}},
  "attempts": {"type": "array", "items": {"$ref": "#/components/schemas/Attempt"}}}})",
              .tag = "Job",
              .handler = ForJob(services, TasksAnswer)});
  routes.Add({.method = "GET",
              .pattern = Path("jobs/{id}/events"),
              .summary = "List the entries of a job's journal",
              .parameters = {JobParameter(),
                             {.name = "after",
                              .type = ValueType::kInteger,
                              .help = "Only entries after this `seq`.",
                              .default_text = "0",
                              .min = 0},
                             {.name = "limit",
                              .type = ValueType::kInteger,
                              .help = "The greatest number of entries.",
                              .default_text = "1000",
                              .min = 1,
                              .max = kMostEvents}},
              .answer = "`entry` is a line of `howdah events --json`, `text` one of `howdah events`. `next` is the "
                        "`after` of the next request.",
              .answer_schema = R"({"type": "object", "required": ["events", "next", "more"], "properties": {
  "events": {"type": "array", "items": {"$ref": "#/components/schemas/Event"}}, "next": {"type": "integer"},
  "more": {"type": "boolean"}}})",
              .tag = "Job",
              .handler = [&services](const Request&, const Arguments& arguments, Respond respond) {
                const auto make =
                    [after = arguments.Integer("after").value_or(0), limit = arguments.Integer("limit").value_or(1000)](
                        Cluster& cluster, const JobId& id) { return EventsAnswer(cluster, id, after, limit); };
                AnswerForJob(services, arguments.Text("id"), make, std::move(respond));
              }});
  routes.Add({.method = "GET",
              .pattern = Path("jobs/{id}/timeline"),
              .summary = "Show what a job and its attempts did over time",
              .parameters = {JobParameter()},
              .answer =
                  "`stretches` are the job's [time breakdown](checkpoints.md#time-breakdown) over time. `to` of a "
                  "span is null if it goes on. `marks` are failures, losses, checkpoints, scalings and stops.",
              .answer_schema = R"({"$ref": "#/components/schemas/Timeline"})",
              .tag = "Job",
              .handler = ForJob(services, TimelineAnswer)});
}

// Adds routes for the addresses of tasks, in two formats.
void AddAddressRoutes(Services& services, web::Routes& routes) {
  routes.Add({.method = "GET",
              .pattern = Path("jobs/{id}/addresses"),
              .summary = "List the addresses of a job's running tasks",
              .parameters = {JobParameter()},
              .answer = "By role.",
              .answer_schema = R"({"type": "object", "additionalProperties": {"type": "array", "items": {
  "type": "object", "required": ["index", "host", "port", "container"], "properties": {"index": {"type": "integer"},
  "host": {"type": "string"}, "port": {"type": "integer"}, "container": {"type": ["string", "null"]}}}}})",
              .tag = "Job",
              .handler = ForJob(services, AddressesAnswer)});
  const auto show_exports = [&services](const Request&, const Arguments& arguments, const Respond& respond) {
    ShowExports(services, arguments, respond);
  };
  const std::string exports = "jobs/{id}/ws/v1/slider/publisher/exports";
  const std::string answer = "As the page of the job's application master has it at `/ws/v1/slider/publisher/exports`.";
  routes.Add({.method = "GET",
              .pattern = Path(exports),
              .summary = "List the addresses of a job's running tasks in the format of Apache Slider",
              .parameters = {JobParameter(), {.name = "role", .help = "As in the path; otherwise all roles."}},
              .answer = answer,
              .answer_schema = R"({"type": "object", "properties": {"exports": {"type": "object",
  "additionalProperties": {"$ref": "#/components/schemas/SliderExports"}}}})",
              .tag = "Job",
              .handler = show_exports});
  routes.Add({.method = "GET",
              .pattern = Path(exports + "/{role}"),
              .summary = "List the addresses of a role's running tasks in the format of Apache Slider",
              .parameters = {JobParameter(), {.name = "role", .help = "The role."}},
              .answer = answer,
              .answer_schema = R"({"$ref": "#/components/schemas/SliderExports"})",
              .tag = "Job",
              .handler = show_exports});
}

void AddTraceRoute(Services& services, web::Routes& routes) {
  routes.Add({.method = "GET",
              .pattern = Path("jobs/{id}/trace.json"),
              .summary = "Show the timeline of a job as a trace",
              .parameters = {JobParameter()},
              .answer =
                  "The trace event format, for ui.perfetto.dev and Chrome's about:tracing. Times are microseconds "
                  "since `otherData.begin`. The job is one process; each role is another one, with a thread for each "
                  "task.",
              .answer_schema = R"({"type": "object", "required": ["displayTimeUnit", "otherData", "traceEvents"],
  "properties": {"displayTimeUnit": {"type": "string"}, "otherData": {"type": "object"},
    "traceEvents": {"type": "array", "items": {"type": "object", "required": ["ph", "name", "pid", "tid", "args"],
      "properties": {"ph": {"enum": ["M", "X", "i"]}, "name": {"type": "string"}, "pid": {"type": "integer"},
        "tid": {"type": "integer"}, "ts": {"type": "integer"}, "dur": {"type": "integer"},
        "args": {"type": "object"}}}}}})",
              .tag = "Job",
              .handler = ForJob(services, TraceAnswer)});
}

void AddConfigRoutes(Services& services, web::Routes& routes) {
  const web::Parameter reveal = {.name = "reveal",
                                 .type = ValueType::kFlag,
                                 .help = "Show the values of variables that look like secrets, instead of `•••`.",
                                 .default_text = "0"};
  routes.Add({.method = "GET",
              .pattern = Path("jobs/{id}/config"),
              .summary = "Show the effective job file as JSON",
              .parameters = {JobParameter(), reveal},
              .answer = "`hidden` names the hidden values. `previous` has the differences from the previous run of "
                        "the same name and user, if there is one.",
              .answer_schema = R"({"type": "object", "required": ["job", "hidden", "previous"], "properties": {
  "job": {"type": "object"}, "hidden": {"type": "array", "items": {"type": "string"}},
  "previous": {"type": ["object", "null"], "required": ["id", "differences"], "properties": {"id": {"type": "string"},
    "differences": {"type": "array", "items": {"type": "object", "required": ["name", "before", "after"],
      "properties": {"name": {"type": "string"}, "before": {"type": ["string", "null"]},
        "after": {"type": ["string", "null"]}}}}}}}})",
              .tag = "Job",
              .handler = With(services, ShowConfig)});
  routes.Add({.method = "GET",
              .pattern = Path("jobs/{id}/job.yaml"),
              .summary = "Show the effective job file as YAML",
              .parameters = {JobParameter(),
                             reveal,
                             {.name = "download",
                              .type = ValueType::kFlag,
                              .help = "Answer with a file for the browser to save.",
                              .default_text = "0"}},
              .answer = "A job file that `howdah run` accepts.",
              .answer_type = "application/yaml",
              .tag = "Job",
              .handler = With(services, ShowJobFile)});
}

void AddFigureRoutes(Services& services, web::Routes& routes) {
  routes.Add({.method = "GET",
              .pattern = Path("jobs/{id}/goodput"),
              .summary = "Show the hardware that a job held",
              .parameters = {JobParameter()},
              .answer = "`job` and each of `days` are groups as in `howdah goodput --json` ([goodput.md](goodput.md)); "
                        "`account` is that of `howdah status --json`.",
              .answer_schema = R"({"type": "object", "required": ["job", "account", "days"], "properties": {
  "job": {"$ref": "#/components/schemas/GoodputGroup"}, "account": {"type": ["object", "null"]},
  "days": {"type": "array", "items": {"$ref": "#/components/schemas/GoodputGroup"}}}})",
              .tag = "Job",
              .handler = With(services, ShowGoodput)});
  routes.Add({.method = "GET",
              .pattern = Path("jobs/{id}/advice"),
              .summary = "Show what to change in a job",
              .parameters = {JobParameter()},
              .answer = "Findings as in `howdah advise ID --json` ([advice.md](advice.md)), the largest saving first.",
              .answer_schema = R"({"type": "object", "required": ["findings"], "properties": {"findings": {
  "type": "array", "items": {"$ref": "#/components/schemas/Finding"}}}})",
              .tag = "Job",
              .handler = With(services, ShowAdvice)});
  routes.Add({.method = "GET",
              .pattern = Path("jobs/{id}/metrics"),
              .summary = "Show the metrics of a job",
              .parameters = {JobParameter(),
                             {.name = "series", .type = ValueType::kTexts, .help = "Names of series; default: all."},
                             {.name = "of",
                              .type = ValueType::kChoice,
                              .help = "The tasks, single ranks, or quantiles of each role.",
                              .default_text = "task",
                              .choices = {"task", "rank", "role"}},
                             {.name = "tasks",
                              .type = ValueType::kTexts,
                              .help = "Roles and tasks (`worker`, `ps:0`); default: all."},
                             {.name = "from", .help = "Only points that end after this time."},
                             {.name = "to", .help = "Only points that begin before this time."},
                             {.name = "points",
                              .type = ValueType::kInteger,
                              .help = "The greatest number of points of a series; 0: all.",
                              .default_text = "0",
                              .min = 0,
                              .max = 10'000}},
              .answer = "The JSON that [metrics.md](metrics.md#json-and-csv) describes. With `of=role` each series has "
                        "a `quantile`, `task` is the role, and `max` is null. Without metrics `series` is "
                        "empty, and `note` has the reason.",
              .answer_schema = R"({"$ref": "#/components/schemas/Metrics"})",
              .tag = "Job",
              .handler = With(services, ShowMetrics)});
}

}  // namespace

web::Parameter JobParameter() {
  return {.name = "id", .help = "The id of a job, its name, the end of its id, or `last`.", .max_bytes = 512};
}

void AddJobRoutes(Services& services, web::Routes& routes) {
  AddStatusRoutes(services, routes);
  AddAddressRoutes(services, routes);
  AddTraceRoute(services, routes);
  AddConfigRoutes(services, routes);
  AddFigureRoutes(services, routes);
}

}  // namespace howdah::portal
