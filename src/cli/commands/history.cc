#include <unistd.h>

#include <nlohmann/json.hpp>

#include "commands.h"
#include "history_difference.h"
#include "history_archive.h"
#include "history_source.h"
#include "howdah/base/ids.h"
#include "howdah/os/process/clock.h"
#include "terminal.h"
#include "status_text.h"
#include "text_table.h"

namespace howdah::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string Text(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

// One JSON array, an element a line.
template <typename Items, typename ToText>
std::string Array(const Items& items, const ToText& to_text) {
  std::string text = "[";
  for (const auto& item : items) text += (text.size() == 1 ? "" : ",\n ") + to_text(item);
  return text + "]\n";
}

int List(HistorySource& source, const Arguments& arguments) {
  const auto jobs = source.List(arguments.history);
  if (!jobs.ok()) return Report(jobs.error());
  if (arguments.json) {
    Print(Array(*jobs, [](const PastJob& job) { return journal::ToJson(job.view, false); }));
    return kExitOk;
  }
  if (jobs->empty()) return Say("there are no such jobs"), kExitOk;
  const Instant now = os::process::Clock().Now();
  std::vector<std::vector<std::string>> rows = {{"ID", "USER", "NAME", "STATE", "STARTED (UTC)", "TOOK", "FROM"}};
  for (const PastJob& job : *jobs) {
    const auto began = job.view.submitted;
    rows.push_back(
        {job.view.id, job.view.user, OneLine(job.view.name), StateText(job.view.state, WantsColour(STDOUT_FILENO)),
         began ? FormatInstant(*began).substr(0, 19) : "",
         began ? FormatDuration(job.view.finished.value_or(now) - *began) : "", job.tony ? "tony" : "howdah"});
  }
  Print(FormatTable(rows));
  return kExitOk;
}

int Show(HistorySource& source, const PastJob& job, bool json) {
  const auto view = source.Status(job);
  if (!view.ok()) return Report(view.error());
  Print(json ? journal::ToJson(*view, true) + "\n"
             : DescribeJob(*view, os::process::Clock().Now(), WantsColour(STDOUT_FILENO)));
  return kExitOk;
}

int Events(HistorySource& source, const PastJob& job, bool json) {
  const auto lines = source.Events(job, json);
  if (!lines.ok()) return Report(lines.error());
  for (const std::string& line : *lines) Print(line + "\n");
  return kExitOk;
}

int Config(HistorySource& source, const PastJob& job, bool json) {
  const auto settings = source.Configuration(job);
  if (!settings.ok()) return Report(settings.error());
  if (json) {
    Print(Array(*settings, [](const compat::tony::history::Setting& setting) {
      return Text({{"name", setting.name},
                   {"value", setting.value},
                   {"final", setting.is_final},
                   {"source", setting.source.empty() ? Json(nullptr) : Json(setting.source)}});
    }));
    return kExitOk;
  }
  std::vector<std::vector<std::string>> rows = {{"NAME", "VALUE", "SOURCE"}};
  for (const auto& setting : *settings) rows.push_back({setting.name, OneLine(setting.value), setting.source});
  Print(FormatTable(rows));
  return kExitOk;
}

int Metrics(HistorySource& source, const PastJob& job, bool json) {
  const auto metrics = source.Metrics(job);
  if (!metrics.ok()) return Report(metrics.error());
  if (json) {
    Print(Array(*metrics, [](const compat::tony::history::TaskMetrics& task) {
      Json values = Json::object();
      for (const auto& metric : task.metrics) values[metric.name] = metric.value;
      return Text({{"role", task.role}, {"index", task.index}, {"metrics", values}});
    }));
    return kExitOk;
  }
  std::vector<std::vector<std::string>> rows = {{"TASK", "METRIC", "VALUE"}};
  for (const auto& task : *metrics) {
    for (const auto& metric : task.metrics) {
      rows.push_back({TaskText(task.role, task.index), metric.name, Text(Json(metric.value))});
    }
  }
  if (rows.size() == 1) Say("nothing was measured of this job");
  Print(FormatTable(rows));
  return kExitOk;
}

Json ToJson(const std::vector<Difference>& differences) {
  Json list = Json::array();
  for (const Difference& difference : differences) {
    list.push_back({{"name", difference.name},
                    {"before", difference.before ? Json(*difference.before) : Json(nullptr)},
                    {"after", difference.after ? Json(*difference.after) : Json(nullptr)}});
  }
  return list;
}

void PrintDifferences(const std::string& title, const std::vector<Difference>& differences) {
  Print(title + (differences.empty() ? ": no difference\n" : ":\n"));
  for (const Difference& difference : differences) {
    if (difference.before) Print("- " + difference.name + " = " + OneLine(*difference.before) + "\n");
    if (difference.after) Print("+ " + difference.name + " = " + OneLine(*difference.after) + "\n");
  }
}

int Diff(HistorySource& source, const PastJob& before, const PastJob& after, bool json) {
  const auto settings_before = source.Configuration(before), settings_after = source.Configuration(after);
  if (!settings_before.ok()) return Report(settings_before.error());
  if (!settings_after.ok()) return Report(settings_after.error());
  const auto view_before = source.Status(before), view_after = source.Status(after);
  if (!view_before.ok()) return Report(view_before.error());
  if (!view_after.ok()) return Report(view_after.error());
  const auto outcome = Differences(OutcomeOf(*view_before), OutcomeOf(*view_after));
  const auto configuration = Differences(*settings_before, *settings_after);
  if (json) {
    Print(Text({{"before", before.view.id},
                {"after", after.view.id},
                {"outcome", ToJson(outcome)},
                {"configuration", ToJson(configuration)}}) +
          "\n");
    return kExitOk;
  }
  Print("- " + before.view.id + "\n+ " + after.view.id + "\n");
  PrintDifferences("outcome", outcome);
  PrintDifferences("configuration", configuration);
  return kExitOk;
}

}  // namespace

int HistoryCommand(Shell& shell, const Arguments& arguments) {
  const HistoryArguments& wanted = arguments.history;
  if (wanted.action == "move" || wanted.action == "purge") return KeepHistory(shell, arguments);
  auto source = HistorySource::Open(shell, wanted.dir);
  if (!source.ok()) return Report(source.error());
  if (wanted.action == "list") return List(*source, arguments);
  const auto job = source->Find(arguments.id);
  if (!job.ok()) return Report(job.error());
  if (wanted.action == "show") return Show(*source, *job, arguments.json);
  if (wanted.action == "events") return Events(*source, *job, arguments.json);
  if (wanted.action == "config") return Config(*source, *job, arguments.json);
  if (wanted.action == "metrics") return Metrics(*source, *job, arguments.json);
  const auto other = source->Find(wanted.other);
  if (!other.ok()) return Report(other.error());
  return Diff(*source, *job, *other, arguments.json);
}

}  // namespace howdah::cli
