#include "history_metrics.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "howdah/backend/job_metrics.h"
#include "howdah/base/bytes.h"
#include "howdah/base/ids.h"
#include "howdah/cli/output/terminal.h"
#include "howdah/cli/output/text_table.h"
#include "howdah/client/exit_code.h"
#include "howdah/client/find_task.h"
#include "howdah/client/metrics_json.h"
#include "howdah/os/process/clock.h"

namespace howdah::cli::commands {
namespace {

using metrics::Column;
using metrics::Table;

// Formats a value for people: "1.5 GiB/s", "37 %", "2.25 cores".
std::string ValueText(double value, const std::string& unit) {
  if (!std::isfinite(value)) return client::NumberText(static_cast<float>(value));
  if (unit.starts_with("bytes") && std::abs(value) < 1e18) {
    return FormatBytes(static_cast<int64_t>(value)) + unit.substr(std::string("bytes").size());
  }
  const bool is_share = unit == "share";
  char text[32];
  const auto [end, error] =
      std::to_chars(text, text + sizeof text, is_share ? value * 100 : value, std::chars_format::general, 4);
  return std::string(text, end) + (unit.empty() ? "" : is_share ? " %" : " " + unit);
}

std::string TaskOf(const Column& column) { return TaskText(column.role, column.index.value_or(0)); }

void PrintCsv(const Table& table) {
  output::Print("time,task,rank,series,unit,scope,mean,max,step\n");
  for (const Column& column : table.columns) {
    const std::string columns = TaskOf(column) + "," + (column.rank ? std::to_string(*column.rank) : "") + "," +
                                column.series.name + "," + column.series.unit + "," +
                                std::string(metrics::ToText(column.series.scope)) + ",";
    std::string lines;
    for (size_t i = 0; i < table.buckets; ++i) {
      if (column.weight[i] == 0) continue;
      lines += FormatInstant(table.start + table.width * static_cast<int64_t>(i)) + "," + columns +
               client::NumberText(column.mean[i]) + "," + client::NumberText(column.max[i]) + "," +
               (column.step.empty() ? "" : std::to_string(column.step[i])) + "\n";
    }
    output::Print(lines);
  }
}

// Prints one row per series, with its mean and maximum over the whole time.
void PrintTable(const Table& table) {
  std::vector<output::Row> rows = {{"TASK", "RANK", "SERIES", "SCOPE", "MEAN", "MAX", "LAST"}};
  for (const Column& column : table.columns) {
    const auto text = [&](const std::optional<double>& value) {
      return value ? ValueText(*value, column.series.unit) : std::string("–");
    };
    std::string last = column.last ? text(column.last) : "";
    if (column.last && column.last_step) last += " at step " + std::to_string(*column.last_step);
    const std::string scope(metrics::ToText(column.series.scope));
    rows.push_back({TaskOf(column), column.rank ? std::to_string(*column.rank) : "", column.series.name, scope,
                    text(column.Mean()), text(column.Max()), column.absent.empty() ? last : column.absent});
  }
  output::Print(output::FormatTable(rows));
}

Result<metrics::Query> QueryOf(const journal::JobView& job, const MetricsArguments& arguments) {
  metrics::Query query;
  query.series = arguments.series;
  query.points = static_cast<int>(std::min<int64_t>(arguments.points.value_or(0), 1'000'000));
  if (arguments.task.empty()) return query;
  const bool is_role = std::any_of(job.tasks.begin(), job.tasks.end(),
                                   [&](const journal::TaskView& task) { return task.role == arguments.task; });
  if (is_role) {
    query.role = arguments.task;
    return query;
  }
  HOWDAH_TRY(const client::TaskName task, client::FindTask(arguments.task, job));
  query.role = task.role;
  query.index = task.index;
  return query;
}

}  // namespace

Result<int> ShowMetrics(backend::Cluster& cluster, const journal::JobView& job, const MetricsArguments& arguments) {
  HOWDAH_TRY(const metrics::Query query, QueryOf(job, arguments));
  HOWDAH_TRY(const backend::JobMetrics answer, cluster.Metrics(JobId{job.id}, query));
  if (!answer.note.empty()) {
    const std::string age =
        answer.stored ? ", " + FormatDuration(os::process::Clock().Now() - *answer.stored) + " old" : "";
    output::PrintNote(answer.note + (core::IsFinal(job.state) ? "" : age));
  }
  if (arguments.json) {
    output::Print(client::MetricsJson(answer) + "\n");
  } else if (arguments.csv) {
    PrintCsv(answer.table);
  } else if (answer.table.columns.empty()) {
    output::PrintMessage(query.series.empty() ? "the job has no samples yet" : "the job has no such series");
  } else {
    PrintTable(answer.table);
  }
  return client::kExitOk;
}

}  // namespace howdah::cli::commands
