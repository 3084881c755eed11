#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "api.h"
#include "howdah/backend/job_metrics.h"
#include "howdah/base/text.h"
#include "howdah/metrics/table.h"
#include "howdah/os/process/clock.h"
#include "job_rows.h"
#include "json_text.h"
#include "role_usage.h"
#include "run_differences.h"
#include "run_series.h"

namespace howdah::portal {
namespace {

using web::Arguments;
using web::Respond;
using web::ValueType;

constexpr int64_t kMostListedRuns = 100;
constexpr Duration kReadingLimit = std::chrono::seconds(8);  // an answer takes at most 10 s

// The facts about a run that the index does not have.
struct RunDetails {
  std::string problem;                          // why they are not known; empty if they are
  std::map<std::string, int64_t> memory_peaks;  // bytes, by role
  std::map<std::string, double> metrics;        // final values by name, without the prefix; may be NaN or infinite
  std::optional<double> gpu_use;                // from 0 to 1
};

// The details of ended jobs, which never change, so that a list of runs is read once. Thread-safe.
class DetailsCache {
 public:
  std::optional<RunDetails> Find(const std::string& id) {
    const std::lock_guard lock(mutex_);
    const auto found = details_.find(id);
    return found == details_.end() ? std::nullopt : std::optional(found->second);
  }
  void Put(const std::string& id, const RunDetails& details) {
    constexpr size_t kMost = 2000;
    const std::lock_guard lock(mutex_);
    if (details_.size() >= kMost) details_.clear();
    details_[id] = details;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, RunDetails> details_;
};

// The value with the highest step of any process; of equal steps, that of the first process.
std::map<std::string, double> FinalValues(const metrics::Table& table) {
  std::map<std::string, std::pair<int64_t, double>> newest;
  for (const metrics::Column& column : table.columns) {
    if (!metrics::IsReported(column.series.name) || !column.last) continue;
    const std::string name = column.series.name.substr(metrics::kMetricPrefix.size());
    const int64_t step = column.last_step.value_or(0);
    const auto [at, is_new] = newest.try_emplace(name, step, *column.last);
    if (!is_new && step > at->second.first) at->second = {step, *column.last};
  }
  std::map<std::string, double> values;
  for (const auto& [name, value] : newest) values[name] = value.second;
  return values;
}

RunDetails ReadDetails(backend::Cluster& cluster, const JobId& id) {
  RunDetails details;
  const auto view = cluster.Status(id);
  if (!view.ok()) {
    details.problem = view.error().message;
    return details;
  }
  for (const RoleUsage& usage : UsageByRole(*view)) {
    if (usage.memory_peak_bytes) details.memory_peaks[usage.role] = *usage.memory_peak_bytes;
  }
  details.gpu_use = view->hardware.busy();
  metrics::Query query;
  query.of = metrics::Query::Of::kRank;
  query.points = 1;
  if (const auto metrics = cluster.Metrics(id, query); metrics.ok()) details.metrics = FinalValues(metrics->table);
  return details;
}

RunFigures FiguresOf(const JobRow& row, const RunDetails& details, Instant now) {
  RunFigures figures{.ended = core::IsFinal(row.state), .succeeded = row.state == core::JobState::kSucceeded};
  const auto add = [&](const std::string& name, const std::optional<double>& value) {
    if (value && std::isfinite(*value)) figures.values[name] = *value;
  };
  if (const auto took = TookUntil(row, now)) add("took_seconds", Seconds(*took));
  add("cost", row.cost);
  add("goodput", row.goodput);
  add("gpu_use", details.gpu_use);
  for (const auto& [role, bytes] : details.memory_peaks) add("memory_peak_bytes." + role, static_cast<double>(bytes));
  for (const auto& [name, value] : details.metrics) add("metric." + name, value);
  return figures;
}

Json MarksJson(const std::vector<BandMark>& marks) {
  Json list = Json::array();
  for (const BandMark& mark : marks) {
    list.push_back({{"figure", mark.figure},
                    {"value", mark.value},
                    {"median", mark.band.median},
                    {"low", mark.band.low},
                    {"high", mark.band.high},
                    {"side", mark.above ? "above" : "below"}});
  }
  return list;
}

// JSON has no NaN and no infinities.
Json ValueJson(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
}

// The runs of one name, newest first. The threads of the backends fill in the JSON of their own runs.
struct Series {
  std::vector<RowPointer> rows;
  size_t shown = 0;  // the first rows; the others are only needed for bands
  Instant now;
  std::mutex mutex;                         // of what follows
  std::map<std::string, std::string> runs;  // JSON by id
  std::vector<std::string> notes;
};

std::string RunJson(backend::Cluster& cluster, const JobRow& row, const RunDetails& details,
                    const std::vector<BandMark>& marks, const JobRow* previous, Instant now) {
  Json differences = nullptr;
  if (!marks.empty() && previous != nullptr) {
    if (auto found = DifferencesFrom(cluster, JobId{previous->id}, JobId{row.id}); found.ok())
      differences = std::move(*found);
  }
  Json peaks = Json::object(), metrics = Json::object();
  for (const auto& [role, bytes] : details.memory_peaks) peaks[role] = bytes;
  for (const auto& [name, value] : details.metrics) metrics[name] = ValueJson(value);
  const Json more = {{"gpu_use", OrNull(details.gpu_use)},    {"memory_peak_bytes", std::move(peaks)},
                     {"metrics", std::move(metrics)},         {"marks", MarksJson(marks)},
                     {"differences", std::move(differences)}, {"problem", OrNull(details.problem)}};
  return JoinObjects(RowJson(row, now), Dump(more));
}

// Reads the runs of one backend. Runs of different backends are not compared with each other.
Status ReadSeries(backend::Cluster& cluster, const std::string& backend, Series& series, DetailsCache& cache) {
  const os::process::Clock clock{};
  const Instant end = clock.Now() + kReadingLimit;
  std::vector<const JobRow*> rows;
  std::vector<RunDetails> details;
  std::vector<RunFigures> figures;
  int64_t unread = 0;
  for (const RowPointer& row : series.rows) {
    if (row->backend != backend) continue;
    auto known = cache.Find(row->id);
    if (!known && clock.Now() < end) {
      known = ReadDetails(cluster, JobId{row->id});
      if (core::IsFinal(row->state) && known->problem.empty()) cache.Put(row->id, *known);
    }
    if (!known) ++unread;
    rows.push_back(row.get());
    details.push_back(known.value_or(RunDetails()));
    figures.push_back(FiguresOf(*row, details.back(), series.now));
  }
  std::map<std::string, std::string> runs;
  for (size_t i = 0; i < rows.size(); ++i) {
    const std::vector<RunFigures> earlier(figures.begin() + static_cast<std::ptrdiff_t>(i) + 1, figures.end());
    const JobRow* const previous = i + 1 < rows.size() ? rows[i + 1] : nullptr;
    runs[rows[i]->id] = RunJson(cluster, *rows[i], details[i], MarksOf(figures[i], earlier), previous, series.now);
  }
  const std::lock_guard lock(series.mutex);
  series.runs.merge(runs);
  if (unread > 0) {
    series.notes.push_back("the backend '" + backend + "' is slow: memory and metrics of " + CountOf(unread, "run") +
                           " were not read yet; load the page again");
  }
  return {};
}

web::Response SeriesAnswer(const std::string& name, int64_t total, const Json& next, Series& series) {
  const std::lock_guard lock(series.mutex);
  std::string runs;
  for (size_t i = 0; i < series.shown; ++i) {
    const JobRow& row = *series.rows[i];
    const auto found = series.runs.find(row.id);
    const Json unknown = {{"gpu_use", nullptr},        {"memory_peak_bytes", Json::object()},
                          {"metrics", Json::object()}, {"marks", Json::array()},
                          {"differences", nullptr},    {"problem", "not read"}};
    runs += (runs.empty() ? "" : ",\n ") +
            (found == series.runs.end() ? JoinObjects(RowJson(row, series.now), Dump(unknown)) : found->second);
  }
  return web::Json("{\"name\":" + Dump(name) + ",\"total\":" + std::to_string(total) + ",\"next\":" + Dump(next) +
                   ",\"runs\":[" + runs + "],\"notes\":" + Dump(Json(series.notes)) + "}\n");
}

Result<JobQuery> QueryOf(const Services& services, const Arguments& arguments) {
  using Field = index::query::Term::Field;
  // The filter ignores letter case, and takes a '*' in a name as a wildcard; rows of other names are dropped later.
  JobQuery query{.filter = {{.field = Field::kName, .patterns = {LowerCase(arguments.Text("name"))}}},
                 .limit = static_cast<size_t>(arguments.Integer("limit").value_or(kMostListedRuns)) + kBandRuns,
                 .now = services.clock.Now()};
  const std::string& user = arguments.Text("user");
  if (!user.empty()) {
    query.filter.push_back({.field = Field::kUser, .patterns = {LowerCase(user == "me" ? services.facts.user : user)}});
  }
  if (!arguments.Text("after").empty()) {
    HOWDAH_TRY(query.after, index::query::ReadCursor(arguments.Text("after"), query.order));
  }
  return query;
}

void ShowSeries(Services& services, const std::shared_ptr<DetailsCache>& cache, const Arguments& arguments,
                const Respond& respond) {
  const auto query = QueryOf(services, arguments);
  if (!query.ok()) return respond(web::ToResponse(ToProblem(query.error())));
  const std::string name = arguments.Text("name");
  const size_t limit = query->limit - kBandRuns;
  services.FindPage(*query, [&services, cache, name, limit, respond](const JobPage& page) {
    const auto series = std::make_shared<Series>();
    series->now = services.clock.Now();
    std::vector<std::string> backends;
    for (const RowPointer& row : page.rows) {
      if (row->name != name) continue;
      series->rows.push_back(row);
      if (std::find(backends.begin(), backends.end(), row->backend) == backends.end()) backends.push_back(row->backend);
    }
    series->shown = std::min(limit, series->rows.size());
    const bool more = page.rows.size() > limit || page.more;
    const index::query::Order order;
    const Json next =
        more && series->shown > 0
            ? Json(WriteCursor(order, PositionOf(*series->rows[series->shown - 1], order.column, series->now)))
            : Json(nullptr);
    const auto work = [series, cache](backend::Cluster& cluster, const std::string& backend) {
      return ReadSeries(cluster, backend, *series, *cache);
    };
    Ask(services, backends, work, [series, name, next, total = page.total, respond](const auto& failed) {
      {
        const std::lock_guard lock(series->mutex);
        for (const auto& [backend, error] : failed)
          series->notes.push_back("without the details of the runs on '" + backend + "': " + error.message);
      }
      respond(SeriesAnswer(name, total, next, *series));
    });
  });
}

}  // namespace

void AddNameRoute(Services& services, web::Routes& routes) {
  const auto cache = std::make_shared<DetailsCache>();
  routes.Add({.method = "GET",
              .pattern = Path("names/{name...}"),
              .summary = "Show the runs of one name over time",
              .parameters = {{.name = "name", .help = "The name of the jobs."},
                             {.name = "user", .help = "Only runs of this user; `me` is the user of the portal."},
                             {.name = "limit",
                              .type = ValueType::kInteger,
                              .help = "The number of runs.",
                              .default_text = "50",
                              .min = 1,
                              .max = kMostListedRuns},
                             {.name = "after", .help = "`next` of the previous page."}},
              .answer = "The newest run first. `metrics` has the final value of each reported metric. `marks` has the "
                        "figures outside the band of the earlier runs on the same backend: the median ± 3 MAD of the "
                        "last ten successful ones. A marked run has the differences between its job file and that of "
                        "the previous run.",
              .answer_schema = R"({"type": "object", "required": ["name", "total", "next", "runs", "notes"],
  "properties": {"name": {"type": "string"}, "total": {"type": "integer"}, "next": {"type": ["string", "null"]},
    "runs": {"type": "array", "items": {"type": "object",
      "required": ["id", "state", "took_seconds", "goodput", "cost", "gpu_use", "memory_peak_bytes", "metrics", "marks",
        "differences", "problem"],
      "properties": {"id": {"type": "string"}, "gpu_use": {"type": ["number", "null"]},
        "memory_peak_bytes": {"type": "object", "additionalProperties": {"type": "integer"}},
        "metrics": {"type": "object", "additionalProperties": {"type": ["number", "string"]}},
        "marks": {"type": "array", "items": {"type": "object",
          "required": ["figure", "value", "median", "low", "high", "side"], "properties": {
            "figure": {"type": "string"}, "value": {"type": "number"}, "median": {"type": "number"},
            "low": {"type": "number"}, "high": {"type": "number"}, "side": {"enum": ["above", "below"]}}}},
        "differences": {"type": ["object", "null"]}, "problem": {"type": ["string", "null"]}}}},
    "notes": {"type": "array", "items": {"type": "string"}}}})",
              .tag = "Reports",
              .handler = [&services, cache](const web::Request&, const Arguments& arguments, const Respond& respond) {
                ShowSeries(services, cache, arguments, respond);
              }});
}

}  // namespace howdah::portal
