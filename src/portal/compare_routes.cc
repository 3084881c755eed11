#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>

#include "api.h"
#include "howdah/base/text.h"
#include "howdah/client/history_difference.h"
#include "job_rows.h"
#include "json_text.h"
#include "role_usage.h"

namespace howdah::portal {
namespace {

using web::Arguments;
using web::Respond;
using Settings = std::vector<compat::tony::history::Setting>;

constexpr size_t kMostCompared = 20;

// One run of a comparison.
struct ComparedRun {
  JobId id;
  std::string backend;
  std::string extra;             // ExtraFieldsJson of its row
  std::optional<Error> problem;  // why nothing is known about the run
  std::string settings_problem;  // why its settings are not known; empty if they are
  std::optional<journal::JobView> view;
  Settings settings;
};

// The runs in the order of the request. The threads of the backends fill in their own runs.
struct Comparison {
  std::mutex mutex;  // of `runs`
  std::vector<ComparedRun> runs;
};

void ReadRun(backend::Cluster& cluster, ComparedRun& run) {
  auto view = cluster.Status(run.id);
  if (!view.ok()) {
    run.problem = view.error();
    return;
  }
  run.view = std::move(*view);
  run.settings = {{"on", run.view->on, "", false}};
  if (!run.view->host.empty()) run.settings.push_back({"host", run.view->host, "", false});
  const auto text = cluster.JobFile(run.id);
  auto settings = text.ok() ? client::SettingsOfJobFile(*text, client::Secrets::kKeep) : Result<Settings>(text.error());
  if (settings.ok()) {
    run.settings.insert(run.settings.end(), settings->begin(), settings->end());
  } else {
    run.settings_problem = settings.error().message;
  }
}

// Reads the runs of one backend.
Status ReadRuns(backend::Cluster& cluster, const std::string& backend, Comparison& comparison) {
  for (size_t i = 0; i < comparison.runs.size(); ++i) {
    const auto copy = [&] {
      const std::lock_guard lock(comparison.mutex);
      return comparison.runs[i];
    };
    ComparedRun run = copy();
    if (run.backend != backend || run.problem) continue;
    ReadRun(cluster, run);
    const std::lock_guard lock(comparison.mutex);
    comparison.runs[i] = std::move(run);
  }
  return {};
}

Json ValuesJson(const client::Compared& compared) {
  Json values = Json::array();
  for (const auto& value : compared.values) values.push_back(value ? Json(*value) : Json(nullptr));
  return values;
}

std::string RunJson(const ComparedRun& run) {
  const std::string problem = run.problem ? run.problem->message : run.settings_problem;
  if (!run.view) return Dump({{"id", run.id.text}, {"problem", problem}});
  Json roles = Json::array();
  for (const RoleUsage& usage : UsageByRole(*run.view)) roles.push_back(ToJson(usage));
  const Json status = ParseJson(journal::ToJson(*run.view, /*with_tasks=*/true));
  const Json more = {{"problem", OrNull(problem)}, {"account", status["account"]}, {"roles", std::move(roles)}};
  return JoinObjects(JoinObjects(journal::ToJson(*run.view, /*with_tasks=*/false), run.extra), Dump(more));
}

web::Response ComparisonAnswer(const std::vector<ComparedRun>& runs) {
  std::vector<Settings> settings, outcomes;
  std::string list;
  for (const ComparedRun& run : runs) {
    settings.push_back(run.settings);
    outcomes.push_back(run.view ? client::JobOutcomeOf(*run.view) : Settings());
    list += (list.empty() ? "" : ",\n ") + RunJson(run);
  }
  Json compared = Json::array(), outcome = Json::array();
  for (const client::Compared& setting : client::Compare(settings)) {
    compared.push_back({{"name", setting.name},
                        {"kind", client::ToText(client::KindOf(setting.name))},
                        {"same", setting.same},
                        {"values", ValuesJson(setting)}});
  }
  for (const client::Compared& part : client::Compare(outcomes))
    outcome.push_back({{"name", part.name}, {"same", part.same}, {"values", ValuesJson(part)}});
  return web::Json("{\"runs\":[" + list + "],\n\"settings\":" + Dump(compared) + ",\n\"outcome\":" + Dump(outcome) +
                   "}\n");
}

// Each job once, in the order of the request.
std::vector<ComparedRun> RunsOf(Services& services, const std::vector<std::string>& names) {
  std::vector<ComparedRun> runs;
  for (const std::string& name : names) {
    ComparedRun run{.id = JobId{name}};
    if (const auto job = FindJob(services, name); job.ok()) {
      run.id = job->id;
      run.backend = job->backend->name;
      const RowPointer row = services.jobs->Get(job->key());
      run.extra = row ? ExtraFieldsJson(*row, services.clock.Now()) : "{}";
    } else {
      run.problem = job.error();
    }
    const bool known =
        std::any_of(runs.begin(), runs.end(), [&](const ComparedRun& other) { return other.id == run.id; });
    if (!known) runs.push_back(std::move(run));
  }
  return runs;
}

void CompareRuns(Services& services, const Arguments& arguments, Respond respond) {
  const std::vector<std::string>& names = arguments.Texts("ids");
  if (names.empty() || names.size() > kMostCompared) {
    return respond(web::ToResponse({.status = 400,
                                    .detail = "ids: a comparison has 1 to " + std::to_string(kMostCompared) +
                                              " runs, and the request names " + std::to_string(names.size()),
                                    .advice = "write the ids of the jobs, separated by commas: ids=ID1,ID2"}));
  }
  const auto comparison = std::make_shared<Comparison>();
  comparison->runs = RunsOf(services, names);
  std::vector<std::string> backends;
  for (const ComparedRun& run : comparison->runs) {
    if (!run.problem && std::find(backends.begin(), backends.end(), run.backend) == backends.end())
      backends.push_back(run.backend);
  }
  const auto work = [comparison](backend::Cluster& cluster, const std::string& name) {
    return ReadRuns(cluster, name, *comparison);
  };
  Ask(services, backends, work, [comparison, respond = std::move(respond)](const auto& failed) {
    std::vector<ComparedRun> runs;
    {
      const std::lock_guard lock(comparison->mutex);
      runs = comparison->runs;
    }
    for (ComparedRun& run : runs) {
      for (const auto& [name, error] : failed) {
        if (run.backend == name && !run.view && !run.problem) run.problem = error;
      }
    }
    respond(ComparisonAnswer(runs));
  });
}

}  // namespace

void AddCompareRoute(Services& services, web::Routes& routes) {
  routes.Add({.method = "GET",
              .pattern = Path("compare"),
              .summary = "Compare runs",
              .parameters = {{.name = "ids",
                              .type = web::ValueType::kTexts,
                              .help = "The jobs, at most 20: ids, names, ends of ids, or `last`.",
                              .max_bytes = 16'384,
                              .required = true}},
              .answer =
                  "`runs` in the order of `ids`, each job once; `account` as in `howdah status --json`, `roles` sums "
                  "up the usage of tasks. `settings` has every setting of any run once, with one value per run (null: "
                  "not set), as `howdah history diff` compares them; `kind` is `job file`, `environment`, `files`, "
                  "`backend` or `versions`. A run that cannot be read has a `problem` instead.",
              .answer_schema = R"({"type": "object", "required": ["runs", "settings", "outcome"], "properties": {
  "runs": {"type": "array", "items": {"type": "object", "required": ["id", "problem"], "properties": {
    "id": {"type": "string"}, "problem": {"type": ["string", "null"]}, "account": {"type": ["object", "null"]},
    "roles": {"type": "array", "items": {"$ref": "#/components/schemas/RoleUsage"}}}}},
  "settings": {"type": "array", "items": {"$ref": "#/components/schemas/Compared"}},
  "outcome": {"type": "array", "items": {"$ref": "#/components/schemas/Compared"}}}})",
              .tag = "Reports",
              .handler = [&services](const web::Request&, const Arguments& arguments, Respond respond) {
                CompareRuns(services, arguments, std::move(respond));
              }});
}

}  // namespace howdah::portal
