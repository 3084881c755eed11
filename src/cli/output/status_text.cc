#include "howdah/cli/output/status_text.h"

#include <algorithm>
#include <array>

#include "howdah/base/bytes.h"
#include "howdah/base/exit_status.h"
#include "howdah/base/ids.h"
#include "howdah/base/text.h"
#include "howdah/cli/output/goodput_text.h"
#include "howdah/cli/output/text_table.h"

namespace howdah::cli::output {
namespace {

using core::JobState;
using core::TaskState;
using journal::JobView;
using journal::TaskView;

constexpr int kGreen = 32, kRed = 31, kYellow = 33, kBlue = 36;

std::string Coloured(std::string_view text, int colour, bool wanted) {
  if (!wanted) return std::string(text);
  return "\x1b[" + std::to_string(colour) + "m" + std::string(text) + "\x1b[0m";
}

std::string Since(const std::optional<Instant>& from, const std::optional<Instant>& to, Instant now) {
  return from ? FormatDuration(to.value_or(now) - *from) : "";
}

// Formats "2026-11-21 06:45:12".
std::string DateText(const std::optional<Instant>& time) {
  if (!time) return "";
  std::string text = FormatInstant(*time).substr(0, 19);
  text[10] = ' ';
  return text;
}

std::string RanksText(const std::vector<int>& ranks) {
  if (ranks.empty()) return "";
  if (ranks.size() == 1) return std::to_string(ranks[0]);
  return std::to_string(ranks.front()) + "-" + std::to_string(ranks.back());
}

std::string UsageText(const journal::Usage& usage) {
  if (usage.memory_bytes == 0 && usage.memory_peak_bytes == 0) return "";
  const std::string memory =
      usage.memory_bytes != 0 ? FormatBytes(usage.memory_bytes) : "peak " + FormatBytes(usage.memory_peak_bytes);
  return memory + " " + std::to_string(static_cast<int64_t>(usage.cpu_seconds)) + "s cpu";
}

// Returns the reason of a task's end. It starts with the exit status unless the reason contains the exit status.
std::string ReasonText(const TaskView& task) {
  const std::string exit = task.exit ? howdah::ToText(*task.exit) : "";
  if (task.reason.empty()) return exit;
  if (exit.empty() || task.reason.find(exit) != std::string::npos) return Shown(task.reason);
  return exit + ": " + Shown(task.reason);
}

std::string ProgressText(const TaskView& task) { return task.progress ? core::ToText(*task.progress) : ""; }

std::string TaskTable(const JobView& view, Instant now, bool colour) {
  const bool progress =
      std::any_of(view.tasks.begin(), view.tasks.end(), [](const TaskView& task) { return task.progress; });
  std::vector<Row> rows = {{"TASK", "STATE", "ATTEMPT", "NODE", "RANK", "TIME", "USAGE", "REASON"}};
  if (progress) rows[0].insert(rows[0].end() - 1, "PROGRESS");
  for (const TaskView& task : view.tasks) {
    rows.push_back({TaskText(task.role, task.index), StateCell(task.state, colour), std::to_string(task.attempt),
                    task.node, RanksText(task.ranks), Since(task.started, task.finished, now), UsageText(task.usage),
                    ReasonText(task)});
    if (progress) rows.back().insert(rows.back().end() - 1, ProgressText(task));
  }
  return FormatTable(rows);
}

std::string Line(const std::string& name, const std::string& value) {
  return value.empty() ? "" : name + std::string(13 - name.size(), ' ') + Shown(value) + "\n";
}

// Formats "model.pt and 2 more files (977 KiB)".
std::string FilesText(const core::LeftFiles& left) {
  std::string text;
  for (const std::string& name : left.names) text += (text.empty() ? "" : ", ") + name;
  const int64_t more = left.count - static_cast<int64_t>(left.names.size());
  if (more > 0) {
    text += (text.empty() ? "" : " and ") + std::to_string(more) + (text.empty() ? "" : " more") +
            (more == 1 ? " file" : " files");
  }
  return text + " (" + FormatBytes(left.bytes) + ")";
}

// Whether the name of a left file is that of a file beside the working directory.
bool IsBeside(const std::string& name) { return name.starts_with("../"); }

// Returns a value of the key `outputs` that keeps the first file in the working directory: its top directory, or all
// files with its ending.
std::string PatternFor(const std::vector<std::string>& names) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/";
  const auto first = std::find_if_not(names.begin(), names.end(), IsBeside);
  const std::string name = first == names.end() ? "" : *first;
  if (name.empty() || name.find_first_not_of(kPlain) != std::string::npos || name.front() == '-')
    return "['*.pt', out/]";
  if (const size_t slash = name.find('/'); slash != std::string::npos) return "[" + name.substr(0, slash + 1) + "]";
  const size_t dot = name.rfind('.');
  return dot == std::string::npos || dot == 0 ? "['" + name + "']" : "['*" + name.substr(dot) + "']";
}

std::string RenewText(const std::string& id) { return "`howdah renew " + id + "` supplies new ones"; }

std::string TokensText(const JobView& view, Instant now) {
  if (!view.tokens || core::IsFinal(view.state)) return "";
  const auto& [until, by, expiring] = *view.tokens;
  if (now >= until) {
    return "expired at " + journal::FormatMinute(until) +
           " UTC; the tasks continue, but the cluster refuses them and the application master access to files; " +
           RenewText(view.id);
  }
  if (expiring) return "until " + journal::FormatMinute(until) + " UTC; " + RenewText(view.id);
  return journal::DescribeTokens(until, by);
}

std::string TaskProgress(const core::TaskChanged& task) {
  std::string text = Shown(task.reason.value_or(""));  // the reason names the task and its exit status
  if (text.empty()) {
    text = Shown(TaskText(task.role, task.index)) + " " + (task.exit ? DescribeEnd(*task.exit) : "was lost") +
           ", attempt " + std::to_string(task.attempt);
  }
  return core::IsFinal(task.state) ? text : text + "; it restarts";
}

std::string JobProgress(const core::JobChanged& job, JobState before, JobState after) {
  using Type = core::JobChanged::Type;
  const std::string reason = Shown(job.reason.value_or(""));
  if (job.type == Type::kFinished) return "";  // the summary has this information
  // The reason is not repeated, because it is in an earlier line and in the summary.
  if (job.type == Type::kStopping) return reason.empty() ? "" : "stopping";
  if (job.type == Type::kTensorboard) {
    if (job.tensorboard_url && !job.tensorboard_url->empty())
      return "TensorBoard is ready; open it with `howdah tensorboard last`";
    return Shown(job.advice.value_or(reason));
  }
  if (job.type == Type::kWaiting && after == before) return reason.empty() ? "" : "waiting: " + reason;
  // A further kRunning entry has advice about a slow rank.
  if (job.type == Type::kRunning && after == before) return Shown(job.advice.value_or(""));
  std::string text;
  if (after != before) text = core::ToText(after);
  if (job.generation && *job.generation > 0 && after != before)
    text += " generation " + std::to_string(*job.generation);
  if (!reason.empty()) text += (text.empty() ? "" : ": ") + reason;
  return text;
}

// Formats the lowest step and the highest use of memory among the tasks of a role: "  step 120, at most 2.1 GiB".
std::string SlowestAndLargest(const TaskView* begin, const TaskView* end) {
  std::optional<int64_t> step;
  int64_t memory = 0;
  for (const TaskView* task = begin; task != end; ++task) {
    if (task->progress && task->progress->step) step = std::min(step.value_or(INT64_MAX), *task->progress->step);
    memory = std::max(memory, task->usage.memory_bytes);
  }
  std::string text = step ? "step " + std::to_string(*step) : "";
  if (memory > 0) text += (text.empty() ? "" : ", ") + std::string("at most ") + FormatBytes(memory);
  return text.empty() ? "" : "  " + text;
}

// Formats one line per role: "worker  4 tasks: 3 RUNNING, 1 PENDING  step 120, at most 2.1 GiB".
std::vector<std::string> RoleLines(const JobView& view, bool colour) {
  std::vector<std::string> lines;
  for (size_t begin = 0; begin < view.tasks.size();) {
    std::array<int, 8> counts{};
    size_t end = begin;
    for (; end < view.tasks.size() && view.tasks[end].role == view.tasks[begin].role; ++end) {
      ++counts[static_cast<size_t>(view.tasks[end].state)];
    }
    std::string line = Shown(view.tasks[begin].role) + "  " + std::to_string(end - begin) + " tasks:";
    const char* separator = " ";
    for (size_t state = 0; state < counts.size(); ++state) {
      if (counts[state] == 0) continue;
      line += separator + std::to_string(counts[state]) + " " + StateText(static_cast<TaskState>(state), colour);
      separator = ", ";
    }
    lines.push_back(line + SlowestAndLargest(view.tasks.data() + begin, view.tasks.data() + end));
    begin = end;
  }
  return lines;
}

std::vector<std::string> TaskLines(const JobView& view, Instant now, bool colour) {
  std::vector<Row> rows;
  for (const TaskView& task : view.tasks) {
    rows.push_back({TaskText(task.role, task.index), StateCell(task.state, colour),
                    task.attempt > 0 ? "attempt " + std::to_string(task.attempt) : "", task.node,
                    Since(task.started, task.finished, now), ProgressText(task), UsageText(task.usage),
                    ReasonText(task)});
  }
  const std::string table = FormatTable(rows);
  std::vector<std::string> lines;
  for (size_t begin = 0; begin < table.size();) {
    const size_t end = table.find('\n', begin);
    lines.push_back(table.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

}  // namespace

std::string StateText(JobState state, bool colour) {
  int code = kYellow;
  if (state == JobState::kRunning) code = kBlue;
  if (state == JobState::kSucceeded) code = kGreen;
  if (state == JobState::kFailed || state == JobState::kKilled) code = kRed;
  return Coloured(core::ToText(state), code, colour);
}

std::string StateText(TaskState state, bool colour) {
  int code = kYellow;
  if (state == TaskState::kRunning) code = kBlue;
  if (state == TaskState::kSucceeded) code = kGreen;
  if (state == TaskState::kFailed || state == TaskState::kLost) code = kRed;
  return Coloured(core::ToText(state), code, colour);
}

Cell StateCell(JobState state, bool colour) { return Cell::Coloured(StateText(state, colour)); }
Cell StateCell(TaskState state, bool colour) { return Cell::Coloured(StateText(state, colour)); }

std::string DescribeJob(const JobView& view, Instant now, bool colour, const std::vector<std::string>& advice) {
  std::string text = Shown(view.id) + "  " + StateText(view.state, colour) + "\n";
  text += Line("name", view.name);
  text += Line("framework", view.framework);
  text += Line("on", view.on);
  text += Line("generation", view.generation > 0 ? std::to_string(view.generation) : "");
  text += Line("submitted",
               DateText(view.submitted) +
                   (view.user.empty() ? "" : " UTC by " + view.user + (view.host.empty() ? "" : " on " + view.host)));
  text += Line("started", DateText(view.started));
  text += Line("finished", DateText(view.finished));
  text += Line("took", Since(view.submitted, view.finished, now));
  text += Line("exit code", view.exit_code ? std::to_string(*view.exit_code) : "");
  if (!view.time_breakdown.newest_restarts().empty()) {
    const auto& newest = view.time_breakdown.newest_restarts().back();
    text += Line("restarted", DateText(newest.at) + " because " + newest.cause);
  }
  text += Line("time", view.time_breakdown.Text(now));
  text += Line("hardware", HardwareText(view));
  text += Line("reason", view.reason);
  text += Line("advice", view.advice);
  for (const std::string& line : advice) text += Line("advice", line);
  text += Line("left files", LeftFilesText(view));
  text += Line("tokens", TokensText(view, now));
  for (const journal::ChildView& child : view.children) {
    text += Line("child", child.id + " " + child.type + " " + child.state + " " + child.name);
  }
  text += Line("TensorBoard", view.tensorboard_url.empty() ? "" : "howdah tensorboard " + view.id);
  text += Line("tracking", view.tracking_url);
  return text + "\n" + TaskTable(view, now, colour);
}

std::string DescribeJobs(const std::vector<JobView>& views, Instant now, bool colour) {
  std::vector<Row> rows = {{"ID", "NAME", "STATE", "FRAMEWORK", "SUBMITTED (UTC)", "TOOK", "REASON"}};
  for (const JobView& view : views) {
    rows.push_back({view.id, view.name, StateCell(view.state, colour), view.framework, DateText(view.submitted),
                    Since(view.submitted, view.finished, now), view.reason});
  }
  return FormatTable(rows);
}

std::optional<std::string> ProgressLine(const core::JournalEntry& entry, JobState before, JobState after) {
  std::string text;
  if (const auto* job = std::get_if<core::JobChanged>(&entry.change)) {
    text = JobProgress(*job, before, after);
  } else if (const auto* task = std::get_if<core::TaskChanged>(&entry.change)) {
    const bool failed = task->type == core::TaskChanged::Type::kExited && task->exit && !task->exit->success();
    if (failed || task->type == core::TaskChanged::Type::kLost) text = TaskProgress(*task);
  } else if (const auto* scaled = std::get_if<core::RoleScaled>(&entry.change)) {
    text = Shown(scaled->role + " scaled from " + std::to_string(scaled->from) + " to " + std::to_string(scaled->to) +
                 " by " + scaled->by);
  } else if (const auto* tokens = std::get_if<core::TokensChanged>(&entry.change)) {
    if (tokens->type == core::TokensChanged::Type::kExpiring) {
      text = "the job's tokens end at " + journal::FormatMinute(tokens->until) + " UTC; " + RenewText("last");
    }
  }
  if (text.empty()) return std::nullopt;
  return FormatInstant(entry.time).substr(11, 12) + "  " + text;
}

std::string Summary(const JobView& view, const std::string& logs) {
  const std::string id = Shown(view.id);
  std::string text = id + " " + std::string(core::ToText(view.state));
  if (view.submitted && view.finished) text += " after " + FormatDuration(*view.finished - *view.submitted);
  text += "\n";
  if (!view.reason.empty()) text += "reason: " + Shown(view.reason) + "\n";
  if (!view.advice.empty()) text += "advice: " + Shown(view.advice) + "\n";
  const std::string times = view.time_breakdown.Text(view.finished.value_or(Instant()));
  const std::string hardware = HardwareText(view);
  if (!times.empty()) text += "time: " + times + (hardware.empty() ? "" : "; " + hardware) + "\n";
  return text + "logs: " + logs + "  (howdah logs " + id + ")";
}

std::string LeftFilesText(const JobView& view) {
  const TaskView* first = nullptr;
  int tasks = 0;
  for (const TaskView& task : view.tasks) {
    if (task.left_files && tasks++ == 0) first = &task;
  }
  if (first == nullptr || !core::IsFinal(view.state)) return "";
  const std::vector<std::string>& names = first->left_files->names;
  const bool beside = std::any_of(names.begin(), names.end(), IsBeside);
  const bool inside = names.empty() || !std::all_of(names.begin(), names.end(), IsBeside);
  std::string text = TaskText(first->role, first->index) + " left " + FilesText(*first->left_files) +
                     (inside ? " in its working directory, which is removed"
                             : " beside its working directory, where files are removed, too");
  if (tasks > 1)
    text += ", and " + std::to_string(tasks - 1) + " more " + (tasks == 2 ? "task" : "tasks") + " left files";
  if (inside) {
    text += "; the key `outputs` of the job file, or `run --outputs`, keeps such files, as in outputs: " +
            PatternFor(names);
  }
  if (beside) text += "; write files outside the working directory (../) to an absolute path";
  return text + (view.on == "local" ? "; `run --keep` keeps the directories" : "");
}

std::vector<std::string> LiveTable(const JobView& view, Instant now, size_t columns, size_t rows, bool colour) {
  std::string head =
      Shown(view.name) + "  " + StateText(view.state, colour) + "  " + Since(view.submitted, view.finished, now);
  if (view.generation > 0) head += "  generation " + std::to_string(view.generation);
  if (!view.reason.empty()) head += "  " + Shown(view.reason);
  std::vector<std::string> lines = view.tasks.size() < rows ? TaskLines(view, now, colour) : RoleLines(view, colour);
  lines.insert(lines.begin(), head);
  if (lines.size() > rows) lines.resize(rows);
  for (std::string& line : lines) line = Clip(line, columns);
  return lines;
}

}  // namespace howdah::cli::output
