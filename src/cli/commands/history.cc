#include <unistd.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "history_archive.h"
#include "history_metrics.h"
#include "howdah/base/ids.h"
#include "howdah/base/text.h"
#include "howdah/cli/args/syntax.h"
#include "howdah/cli/output/status_text.h"
#include "howdah/cli/output/terminal.h"
#include "howdah/cli/output/text_table.h"
#include "howdah/client/exit_code.h"
#include "howdah/client/history_difference.h"
#include "howdah/client/history_source.h"
#include "howdah/os/process/clock.h"

namespace howdah::cli::commands {
namespace {

using client::HistorySource;
using client::PastJob;
using Json = nlohmann::ordered_json;

// Cuts ids and names in the table to this size, because another user may have written the history.
constexpr size_t kLongestName = 255;

std::string Text(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

// Formats a JSON array with one element per line.
template <typename Items, typename ToText>
std::string Array(const Items& items, const ToText& to_text) {
  std::string text = "[";
  for (const auto& item : items) text += (text.size() == 1 ? "" : ",\n ") + to_text(item);
  return text + "]\n";
}

struct HistoryArguments {
  std::string directory;
  bool json = false;
  std::string id, other;  // `other` is the second job of diff
  client::HistoryFilter filter;
  MetricsArguments metrics;
};

Result<int> List(HistorySource& source, const HistoryArguments& arguments) {
  HOWDAH_TRY(const auto jobs, source.List(arguments.filter));
  if (arguments.json) {
    output::Print(Array(jobs, [](const PastJob& job) { return journal::ToJson(job.view, false); }));
    return client::kExitOk;
  }
  if (jobs.empty()) {
    output::PrintMessage("no job matches");
    return client::kExitOk;
  }
  const Instant now = os::process::Clock().Now();
  const bool colour = output::WantsColour(STDOUT_FILENO);
  std::vector<output::Row> rows = {{"ID", "USER", "NAME", "STATE", "STARTED (UTC)", "TOOK", "FROM"}};
  for (const PastJob& job : jobs) {
    const auto began = job.view.submitted;
    rows.push_back(
        {Shorten(job.view.id, kLongestName), Shorten(job.view.user, kLongestName), Shorten(job.view.name, kLongestName),
         output::StateCell(job.view.state, colour), began ? FormatInstant(*began).substr(0, 19) : "",
         began ? FormatDuration(job.view.finished.value_or(now) - *began) : "", job.tony ? "tony" : "howdah"});
  }
  output::Print(output::FormatTable(rows));
  return client::kExitOk;
}

Result<int> Show(HistorySource& source, const HistoryArguments& arguments) {
  HOWDAH_TRY(const PastJob job, source.Find(arguments.id));
  HOWDAH_TRY(const journal::JobView view, source.Status(job));
  output::Print(arguments.json
                    ? journal::ToJson(view, true) + "\n"
                    : output::DescribeJob(view, os::process::Clock().Now(), output::WantsColour(STDOUT_FILENO)));
  return client::kExitOk;
}

Result<int> Events(HistorySource& source, const HistoryArguments& arguments) {
  HOWDAH_TRY(const PastJob job, source.Find(arguments.id));
  HOWDAH_TRY(const auto lines, source.Events(job, arguments.json));
  for (const std::string& line : lines) output::Print(line + "\n");
  return client::kExitOk;
}

Result<int> Config(HistorySource& source, const HistoryArguments& arguments) {
  HOWDAH_TRY(const PastJob job, source.Find(arguments.id));
  HOWDAH_TRY(const client::TonySettings settings, source.Configuration(job));
  if (arguments.json) {
    output::Print(Array(settings, [](const compat::tony::history::Setting& setting) {
      return Text({{"name", setting.name},
                   {"value", setting.value},
                   {"final", setting.is_final},
                   {"source", setting.source.empty() ? Json(nullptr) : Json(setting.source)}});
    }));
    return client::kExitOk;
  }
  std::vector<output::Row> rows = {{"NAME", "VALUE", "SOURCE"}};
  for (const auto& setting : settings) rows.push_back({setting.name, setting.value, setting.source});
  output::Print(output::FormatTable(rows));
  return client::kExitOk;
}

Result<int> TonyMetrics(HistorySource& source, const PastJob& job, bool json) {
  HOWDAH_TRY(const auto metrics, source.TonyMetrics(job));
  if (json) {
    output::Print(Array(metrics, [](const compat::tony::history::TaskMetrics& task) {
      Json values = Json::object();
      for (const auto& metric : task.metrics) values[metric.name] = metric.value;
      return Text({{"role", task.role}, {"index", task.index}, {"metrics", values}});
    }));
    return client::kExitOk;
  }
  std::vector<output::Row> rows = {{"TASK", "METRIC", "VALUE"}};
  for (const auto& task : metrics) {
    for (const auto& metric : task.metrics) {
      rows.push_back({TaskText(task.role, task.index), metric.name, Text(Json(metric.value))});
    }
  }
  if (rows.size() == 1) output::PrintMessage("no metrics were recorded for this job");
  output::Print(output::FormatTable(rows));
  return client::kExitOk;
}

Result<int> Metrics(HistorySource& source, const HistoryArguments& arguments) {
  HOWDAH_TRY(const PastJob job, source.Find(arguments.id));
  MetricsArguments wanted = arguments.metrics;
  wanted.json = arguments.json;
  if (!job.tony) return ShowMetrics(*job.cluster, job.view, wanted);
  if (wanted.of_series()) {
    return Error{ErrorCode::kUsage, job.view.id +
                                        " is in a history of TonY, which has one value per task and metric; leave out "
                                        "ROLE, --series, --points and --csv"};
  }
  return TonyMetrics(source, job, wanted.json);
}

Json ToJson(const std::vector<client::Difference>& differences) {
  Json list = Json::array();
  for (const client::Difference& difference : differences) {
    list.push_back({{"name", difference.name},
                    {"before", difference.before ? Json(*difference.before) : Json(nullptr)},
                    {"after", difference.after ? Json(*difference.after) : Json(nullptr)}});
  }
  return list;
}

void PrintDifferences(const std::string& title, const std::vector<client::Difference>& differences) {
  output::Print(title + (differences.empty() ? ": no difference\n" : ":\n"));
  for (const client::Difference& difference : differences) {
    if (difference.before) output::Print("- " + Shown(difference.name + " = " + *difference.before) + "\n");
    if (difference.after) output::Print("+ " + Shown(difference.name + " = " + *difference.after) + "\n");
  }
}

Result<int> Diff(HistorySource& source, const HistoryArguments& arguments) {
  HOWDAH_TRY(const PastJob before, source.Find(arguments.id));
  HOWDAH_TRY(const PastJob after, source.Find(arguments.other));
  HOWDAH_TRY(const client::TonySettings settings_before, source.Configuration(before, client::Secrets::kKeep));
  HOWDAH_TRY(const client::TonySettings settings_after, source.Configuration(after, client::Secrets::kKeep));
  HOWDAH_TRY(const journal::JobView view_before, source.Status(before));
  HOWDAH_TRY(const journal::JobView view_after, source.Status(after));
  const auto outcome = client::Differences(client::OutcomeOf(view_before), client::OutcomeOf(view_after));
  const auto configuration = client::Differences(settings_before, settings_after);
  if (arguments.json) {
    output::Print(Text({{"before", before.view.id},
                        {"after", after.view.id},
                        {"outcome", ToJson(outcome)},
                        {"configuration", ToJson(configuration)}}) +
                  "\n");
    return client::kExitOk;
  }
  output::Print("- " + Shown(before.view.id) + "\n+ " + Shown(after.view.id) + "\n");
  PrintDifferences("outcome", outcome);
  PrintDifferences("configuration", configuration);
  return client::kExitOk;
}

void AddDirectory(args::Syntax& syntax, std::string& directory) {
  syntax.Text(
      "--dir", "URI", directory,
      "Read only this history directory of TonY; default: tony.history.location of $TONY_CONF_DIR/tony-site.xml, "
      "and, for actions that show jobs, the jobs of the backend too");
}

using Action = Result<int> (*)(HistorySource&, const HistoryArguments&);

// Makes a runner for an action that reads the history.
args::Runner Reading(client::Connection& connection, const std::shared_ptr<HistoryArguments>& arguments,
                     Action action) {
  return [&connection, arguments, action]() -> Result<int> {
    HOWDAH_TRY(HistorySource source, HistorySource::Open(connection, arguments->directory, output::PrintNote));
    return action(source, *arguments);
  };
}

void AddList(args::Syntax& history, client::Connection& connection) {
  history.Action("list", "List jobs, newest first",
                 "  howdah history list --user ann --status FAILED --since 7d\n"
                 "  howdah history list --dir hdfs:///tony-history --json | jq -r '.[].id'",
                 [&connection](args::Syntax& syntax) -> args::Runner {
                   const auto arguments = std::make_shared<HistoryArguments>();
                   client::HistoryFilter& filter = arguments->filter;
                   const Instant now = os::process::Clock().Now();
                   AddDirectory(syntax, arguments->directory);
                   syntax.Json(arguments->json, "Print one JSON array");
                   syntax.Text("--user", "NAME", filter.user, "Only jobs of this user");
                   syntax.Choice("--status", "STATE", filter.status, args::Presence::kOptional,
                                 {"QUEUED", "STARTING", "RUNNING", "RECOVERING", "SUCCEEDED", "FAILED", "KILLED"},
                                 "Only jobs in this state: SUCCEEDED, FAILED, KILLED, RUNNING, ...");
                   syntax.Text("--name", "TEXT", filter.name, "Only jobs whose name contains this text");
                   syntax.Time("--since", filter.since, now,
                               "Only jobs that ended at or after this time, or are still running");
                   syntax.Time("--until", filter.until, now, "Only jobs that started before this time");
                   return Reading(connection, arguments, List);
                 });
}

void AddJobAction(args::Syntax& history, client::Connection& connection, const std::string& name,
                  const std::string& help, Action action) {
  history.Action(name, help, "  howdah history " + name + " application_1541469337545_0031 --dir hdfs:///tony-history",
                 [&connection, action](args::Syntax& syntax) -> args::Runner {
                   const auto arguments = std::make_shared<HistoryArguments>();
                   AddDirectory(syntax, arguments->directory);
                   syntax.Json(arguments->json, "Print JSON");
                   syntax.Id(arguments->id);
                   return Reading(connection, arguments, action);
                 });
}

void AddMetrics(args::Syntax& history, client::Connection& connection) {
  history.Action("metrics", "Show the metrics of a running or ended job: CPU, memory, GPUs, network, steps",
                 "  howdah history metrics last worker:3 --series cpu_cores,memory_bytes\n"
                 "  howdah history metrics ID worker --points 100 --csv > metrics.csv",
                 [&connection](args::Syntax& syntax) -> args::Runner {
                   const auto arguments = std::make_shared<HistoryArguments>();
                   AddDirectory(syntax, arguments->directory);
                   MetricsArguments& metrics = arguments->metrics;
                   syntax.Id(arguments->id);
                   syntax.Positional("task", "ROLE[:INDEX]", metrics.task, args::Presence::kOptional,
                                     "Only the tasks of this role, or only this task");
                   syntax.Each(
                       "--series", "NAME,...",
                       [&metrics](const std::string& names) {
                         for (size_t begin = 0; begin <= names.size();) {
                           const size_t end = std::min(names.find(',', begin), names.size());
                           if (end > begin) metrics.series.push_back(names.substr(begin, end - begin));
                           begin = end + 1;
                         }
                         return metrics.series.empty() ? std::string("it names no series") : std::string();
                       },
                       "Only these series; docs/metrics.md lists their names");
                   syntax.Number("--points", metrics.points, 1, "At most this many points in time per series");
                   syntax.Flag("--csv", metrics.csv, "Print one line per series and point in time, as CSV");
                   syntax.Json(arguments->json, "Print JSON");
                   return Reading(connection, arguments, Metrics);
                 });
}

void AddDiff(args::Syntax& history, client::Connection& connection) {
  history.Action("diff", "Compare two jobs: configuration and outcome",
                 "  howdah history diff last application_1541469337545_0031",
                 [&connection](args::Syntax& syntax) -> args::Runner {
                   const auto arguments = std::make_shared<HistoryArguments>();
                   AddDirectory(syntax, arguments->directory);
                   syntax.Json(arguments->json, "Print one JSON object");
                   syntax.Positional("before", "ID1", arguments->id, args::Presence::kRequired, "The first job");
                   syntax.Positional("after", "ID2", arguments->other, args::Presence::kRequired, "The second job");
                   return Reading(connection, arguments, Diff);
                 });
}

std::shared_ptr<ArchiveOptions> AddArchiveFlags(args::Syntax& syntax) {
  const auto options = std::make_shared<ArchiveOptions>();
  AddDirectory(syntax, options->directory);
  syntax.Json(options->json, "Print one JSON object");
  syntax.Flag("--dry-run", options->dry_run, "Only print the changes that would be made");
  syntax.Text(
      "--time-zone", "ZONE", options->time_zone,
      "Time zone of the directories finished/YYYY/MM/DD; default: tony.history.finished-dir-timezone, otherwise UTC");
  return options;
}

void AddArchiveActions(args::Syntax& history, client::Connection& connection) {
  history.Action("move", "Move finished jobs to finished/YYYY/MM/DD, as TonY's portal does",
                 "  */5 * * * * howdah history move --dir hdfs:///tony-history --on yarn   # in a crontab",
                 [&connection](args::Syntax& syntax) -> args::Runner {
                   const auto options = AddArchiveFlags(syntax);
                   return [&connection, options] { return MoveHistory(connection, *options); };
                 });
  history.Action("purge", "Remove jobs older than the retention time, as TonY's portal does",
                 "  howdah history purge --dir hdfs:///tony-history --older-than 30d --dry-run",
                 [&connection](args::Syntax& syntax) -> args::Runner {
                   const auto options = AddArchiveFlags(syntax);
                   syntax.Duration(
                       "--older-than", options->older_than,
                       "Retention time; default: tony.history.retention-sec of tony-site.xml, otherwise 30d");
                   return [&connection, options] { return PurgeHistory(connection, *options); };
                 });
}

}  // namespace

args::Command HistoryCommand(client::Connection& connection) {
  return {"history", "Show past jobs of Howdah, and past jobs in a history directory of TonY",
          "  howdah history list --since 7d\n  howdah history diff ID1 ID2\n"
          "`howdah history ACTION --help` describes an action.",
          [&connection](args::Syntax& syntax) -> args::Runner {
            AddList(syntax, connection);
            AddJobAction(syntax, connection, "show", "Show a job with its tasks", Show);
            AddJobAction(syntax, connection, "events", "Show what happened, one line per event", Events);
            AddJobAction(syntax, connection, "config", "Show the configuration the job ran with", Config);
            AddMetrics(syntax, connection);
            AddDiff(syntax, connection);
            AddArchiveActions(syntax, connection);
            return nullptr;  // no default: an action is required
          }};
}

}  // namespace howdah::cli::commands
