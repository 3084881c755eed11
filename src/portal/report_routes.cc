#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <utility>

#include "api.h"
#include "howdah/base/text.h"
#include "howdah/client/adviser.h"
#include "howdah/client/goodput.h"
#include "howdah/client/goodput_json.h"
#include "howdah/client/time_zone.h"
#include "howdah/index/query/filter.h"
#include "howdah/jobspec/advice_check.h"
#include "json_text.h"

namespace howdah::portal {
namespace {

using web::Arguments;
using web::Request;
using web::Respond;
using web::Response;
using web::ValueType;

// In the order of client::GroupBy.
constexpr std::array<std::string_view, 8> kGroups = {"job",       "user", "queue", "name",
                                                     "framework", "tag",  "day",   "backend"};

// The sentences for people about a report over several backends. Thread-safe.
class Notes {
 public:
  static constexpr size_t kMost = 100;

  void Add(const std::string& note) {
    const std::lock_guard lock(mutex_);
    if (notes_.size() < kMost) notes_.push_back(note);
  }
  Json ToJson() {
    const std::lock_guard lock(mutex_);
    return notes_;
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> notes_;
};

Result<std::optional<Instant>> TimeOf(const Arguments& arguments, const char* name, Instant now) {
  const std::string& text = arguments.Text(name);
  if (text.empty()) return std::optional<Instant>();
  const auto at = index::query::ParseTimeOrAge(text, now);
  if (at) return at;
  return Error{ErrorCode::kUsage, std::string(name) + ": '" + OneLine(text, 100) +
                                      "' is not a time; write a duration before now (30d), a date (2026-11-21) or a "
                                      "time (2026-11-21T06:45:12.000Z)"};
}

// If no backend has answered, the report would be empty and wrong.
std::optional<Response> FailedEverywhere(const Services& services,
                                         const std::vector<std::pair<std::string, Error>>& failed) {
  if (failed.empty() || failed.size() < services.backends.size()) return std::nullopt;
  return web::ToResponse(ToProblem(failed.front().second));
}

// A goodput report that the threads of the backends add to.
struct SharedReport {
  explicit SharedReport(client::GroupBy by) : report(by) {}
  std::mutex mutex;  // of `report`
  client::GoodputReport report;
  Notes notes;
};

Result<client::GoodputOptions> GoodputOptionsOf(const Arguments& arguments, Instant now) {
  client::GoodputOptions options{.now = now};
  const auto by = std::find(kGroups.begin(), kGroups.end(), arguments.Text("by"));
  options.by = static_cast<client::GroupBy>(by - kGroups.begin());
  HOWDAH_TRY(options.window.since, TimeOf(arguments, "since", now));
  HOWDAH_TRY(options.window.until, TimeOf(arguments, "until", now));
  if (!arguments.Text("time_zone").empty()) {
    HOWDAH_TRY(auto utc_offset, client::TimeZone(arguments.Text("time_zone")));
    options.days = journal::Days(std::move(utc_offset));
  }
  return options;
}

Response ReportAnswer(SharedReport& shared, const std::optional<jobspec::Prices>& prices, bool csv) {
  const std::lock_guard lock(shared.mutex);
  const client::GoodputView view{shared.report, prices};
  if (csv) return {200, {{"Content-Type", "text/csv; charset=utf-8"}, {"Vary", "Accept"}}, client::GoodputCsv(view)};
  const std::string json(Trim(client::GoodputJson(view)));
  return web::Json(JoinObjects(json, "{\"notes\":" + Dump(shared.notes.ToJson()) + "}") + "\n");
}

void ShowGoodputReport(Services& services, const Request& request, const Arguments& arguments, Respond respond) {
  const auto options = GoodputOptionsOf(arguments, services.clock.Now());
  if (!options.ok()) return respond(web::ToResponse(ToProblem(options.error())));
  const auto shared = std::make_shared<SharedReport>(options->by);
  const auto work = [shared, options = *options](backend::Cluster& cluster, const std::string&) {
    const auto add = [&](const client::CountedJob& job) {
      const std::lock_guard lock(shared->mutex);
      shared->report.Add(job);
    };
    return client::ReadCountedJobs(cluster, options, add, [&](const std::string& note) { shared->notes.Add(note); });
  };
  const bool csv = request.Accepts("text/csv");
  AskAll(services, work, [&services, shared, csv, respond = std::move(respond)](const auto& failed) {
    if (auto problem = FailedEverywhere(services, failed)) return respond(std::move(*problem));
    for (const auto& [name, error] : failed) shared->notes.Add("without the jobs of '" + name + "': " + error.message);
    respond(ReportAnswer(*shared, services.facts.prices, csv));
  });
}

// The findings about the jobs of all backends.
struct SharedAdvice {
  struct Item {
    journal::JobView job;
    advice::Finding finding;
  };
  std::mutex mutex;  // of `items`
  std::vector<Item> items;
  Notes notes;
};

Response AdviceAnswer(SharedAdvice& shared) {
  const std::lock_guard lock(shared.mutex);
  std::stable_sort(shared.items.begin(), shared.items.end(),
                   [](const auto& a, const auto& b) { return advice::SavesMore(a.finding, b.finding); });
  std::string list;
  for (const auto& [job, finding] : shared.items) {
    const std::string of_job =
        JoinObjects(journal::ToJson(job, /*with_tasks=*/false), Dump({{"user", OrNull(job.user)}}));
    list += (list.empty() ? "" : ",\n ") + JoinObjects("{\"job\":" + of_job + "}", advice::ToJson(finding));
  }
  return web::Json("{\"findings\":[" + list + "],\"notes\":" + Dump(shared.notes.ToJson()) + "}\n");
}

void ShowAdviceReport(Services& services, const Request&, const Arguments& arguments, Respond respond) {
  const Instant now = services.clock.Now();
  const auto since = TimeOf(arguments, "since", now);
  if (!since.ok()) return respond(web::ToResponse(ToProblem(since.error())));
  const client::AdviceFilter filter{*since,
                                    arguments.Text("user") == "me" ? services.facts.user : arguments.Text("user")};
  const auto shared = std::make_shared<SharedAdvice>();
  const auto work = [shared, filter, now, check = arguments.Text("check")](backend::Cluster& cluster,
                                                                           const std::string&) -> Status {
    client::Adviser adviser(cluster, [&](const std::string& note) { shared->notes.Add(note); });
    HOWDAH_TRY(const auto jobs, adviser.AdviseAll(filter, now));
    const std::lock_guard lock(shared->mutex);
    for (const auto& job : jobs) {
      for (const advice::Finding& finding : job.findings) {
        if (check.empty() || jobspec::ToText(finding.check) == check) shared->items.push_back({job.view, finding});
      }
    }
    return {};
  };
  AskAll(services, work, [&services, shared, respond = std::move(respond)](const auto& failed) {
    if (auto problem = FailedEverywhere(services, failed)) return respond(std::move(*problem));
    for (const auto& [name, error] : failed) shared->notes.Add("without the jobs of '" + name + "': " + error.message);
    respond(AdviceAnswer(*shared));
  });
}

Response ChecksAnswer() {
  Json checks = Json::array();
  for (const advice::CheckHelp& help : advice::CheckHelps()) {
    checks.push_back(
        {{"check", jobspec::ToText(help.check)}, {"examines", help.examines}, {"why", help.why}, {"fix", help.fix}});
  }
  return web::Json(Dump({{"checks", std::move(checks)}}) + "\n");
}

std::vector<std::string> CheckNames() {
  std::vector<std::string> names;
  for (const advice::CheckHelp& help : advice::CheckHelps()) names.emplace_back(jobspec::ToText(help.check));
  return names;
}

void AddAdviceRoutes(Services& services, web::Routes& routes) {
  routes.Add({.method = "GET",
              .pattern = Path("advice"),
              .summary = "Show what to change in all jobs",
              .parameters = {{.name = "since",
                              .help = "Only jobs that ended at or after this time, or have not ended: a duration "
                                      "before now, a date or a time.",
                              .default_text = "7d"},
                             {.name = "user", .help = "Only jobs of this user; `me` is the user of the portal."},
                             {.name = "check",
                              .type = ValueType::kChoice,
                              .help = "Only findings of this check.",
                              .choices = CheckNames()}},
              .answer = "Findings as in `howdah advise --since 7d --json` ([advice.md](advice.md)), the largest saving "
                        "first. `notes` names jobs and backends that could not be read.",
              .answer_schema = R"({"type": "object", "required": ["findings", "notes"], "properties": {
  "findings": {"type": "array", "items": {"$ref": "#/components/schemas/Finding"}},
  "notes": {"type": "array", "items": {"type": "string"}}}})",
              .tag = "Reports",
              .handler = [&services](const Request& request, const Arguments& arguments, Respond respond) {
                ShowAdviceReport(services, request, arguments, std::move(respond));
              }});
  routes.Add({.method = "GET",
              .pattern = Path("advice/checks"),
              .summary = "Explain the checks",
              .answer = "The texts of [advice.md](advice.md).",
              .answer_schema = R"({"type": "object", "required": ["checks"], "properties": {"checks": {"type": "array",
  "items": {"type": "object", "required": ["check", "examines", "why", "fix"], "properties": {
    "check": {"type": "string"}, "examines": {"type": "string"}, "why": {"type": "string"},
    "fix": {"type": "string"}}}}}})",
              .tag = "Reports",
              .handler = [](const Request&, const Arguments&, const Respond& respond) { respond(ChecksAnswer()); }});
}

}  // namespace

void AddReportRoutes(Services& services, web::Routes& routes) {
  routes.Add({.method = "GET",
              .pattern = Path("goodput"),
              .summary = "Show where the hardware of all jobs went",
              .parameters = {{.name = "by",
                              .type = ValueType::kChoice,
                              .help = "The groups.",
                              .default_text = "job",
                              .choices = {kGroups.begin(), kGroups.end()}},
                             {.name = "since",
                              .help = "Count only the time at or after this time: a duration before now, a date or a "
                                      "time."},
                             {.name = "until", .help = "Count only the time before this time."},
                             {.name = "time_zone", .help = "The time zone of the days; default: UTC."}},
              .answer = "`howdah goodput --json` ([goodput.md](goodput.md)). `notes` "
                        "names jobs and backends that could not be read. With `Accept: text/csv` as `--csv`.",
              .answer_schema = R"({"type": "object", "required": ["groups", "total", "notes"], "properties": {
  "groups": {"type": "array", "items": {"$ref": "#/components/schemas/GoodputGroup"}},
  "total": {"$ref": "#/components/schemas/GoodputGroup"}, "notes": {"type": "array", "items": {"type": "string"}}}})",
              .tag = "Reports",
              .handler = [&services](const Request& request, const Arguments& arguments, Respond respond) {
                ShowGoodputReport(services, request, arguments, std::move(respond));
              }});
  AddAdviceRoutes(services, routes);
}

}  // namespace howdah::portal
