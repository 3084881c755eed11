#include "log_request.h"

#include <algorithm>
#include <charconv>
#include <map>

#include "find_task.h"

namespace howdah::cli {
namespace {

using backend::LogSelection;
using backend::LogSource;
using backend::LogStream;

bool IsOf(const LogSelection& selection, const std::string& role, int index) {
  return (!selection.role || *selection.role == role) && (!selection.index || *selection.index == index);
}

}  // namespace

Result<LogSelection> SelectLogs(const Arguments& arguments, const journal::JobView& view) {
  LogSelection selection;
  if (arguments.want_stdout != arguments.want_stderr) {
    selection.want_stdout = arguments.want_stdout;
    selection.want_stderr = arguments.want_stderr;
  }
  selection.attempt = arguments.attempt;
  if (arguments.task.empty()) return selection;
  const size_t colon = arguments.task.find(':');
  selection.role = arguments.task.substr(0, colon);
  bool is_right = true;
  if (colon != std::string::npos) {
    int index = 0;
    const char* end = arguments.task.data() + arguments.task.size();
    const auto [stop, error] = std::from_chars(arguments.task.data() + colon + 1, end, index);
    is_right = error == std::errc() && stop == end;
    selection.index = index;
  }
  const bool is_there = std::any_of(view.tasks.begin(), view.tasks.end(), [&](const journal::TaskView& task) {
    return IsOf(selection, task.role, task.index);
  });
  if (is_right && is_there) return selection;
  return Error{ErrorCode::kUsage,
               "logs of " + view.id + ": there is no task '" + arguments.task + "'; there are " + TasksOf(view)};
}

Result<std::vector<LogSource>> ChooseSources(const std::vector<LogSource>& all, const LogSelection& selection) {
  std::map<std::pair<std::string, int>, int> newest;
  std::string attempts;
  for (const LogSource& source : all) {
    if (!IsOf(selection, source.role, source.index)) continue;
    int& attempt = newest[{source.role, source.index}];
    attempt = std::max(attempt, source.attempt);
    const std::string number = std::to_string(source.attempt);
    if ((" " + attempts + ",").find(" " + number + ",") == std::string::npos)
      attempts += (attempts.empty() ? "" : ", ") + number;
  }
  std::vector<LogSource> chosen;
  bool has_attempt = false;
  for (const LogSource& source : all) {
    if (!IsOf(selection, source.role, source.index)) continue;
    if (source.attempt != selection.attempt.value_or(newest[{source.role, source.index}])) continue;
    has_attempt = true;
    if (source.stream == LogStream::kStdout ? selection.want_stdout : selection.want_stderr) chosen.push_back(source);
  }
  if (selection.attempt && !has_attempt) {
    return Error{ErrorCode::kNotFound,
                 "attempt " + std::to_string(*selection.attempt) + " has no output; " +
                     (attempts.empty() ? "no attempt has any yet" : "there are attempts " + attempts)};
  }
  return chosen;
}

bool HaveEnded(const journal::JobView& view, const LogSelection& selection) {
  if (core::IsFinal(view.state)) return true;
  if (!selection.role) return false;
  return std::all_of(view.tasks.begin(), view.tasks.end(), [&](const journal::TaskView& task) {
    if (!IsOf(selection, task.role, task.index)) return true;
    return core::IsFinal(task.state) || (selection.attempt && task.attempt > *selection.attempt);
  });
}

}  // namespace howdah::cli
