#include "howdah/client/log_request.h"

#include <algorithm>
#include <map>

#include "howdah/base/number.h"
#include "howdah/client/find_task.h"

namespace howdah::client {
namespace {

using backend::LogSelection;
using backend::LogSource;
using backend::LogStream;

bool Selects(const LogSelection& selection, const std::string& role, int index) {
  return (!selection.role || *selection.role == role) && (!selection.index || *selection.index == index);
}

}  // namespace

Result<LogSelection> SelectLogs(const LogRequest& request, const journal::JobView& view,
                                const std::function<std::vector<LogSource>()>& sources) {
  LogSelection selection;
  if (request.only_stdout != request.only_stderr) {
    selection.want_stdout = request.only_stdout;
    selection.want_stderr = request.only_stderr;
  }
  selection.attempt = request.attempt;
  if (request.task.empty()) return selection;
  const size_t colon = request.task.find(':');
  selection.role = request.task.substr(0, colon);
  if (colon != std::string::npos) selection.index = ParseNumber<int>(request.task.substr(colon + 1));
  const bool is_valid = colon == std::string::npos || selection.index;
  const bool is_there = std::any_of(view.tasks.begin(), view.tasks.end(), [&](const journal::TaskView& task) {
    return Selects(selection, task.role, task.index);
  });
  if (is_valid && is_there) return selection;
  const std::vector<LogSource> all = is_valid ? sources() : std::vector<LogSource>();
  const bool has_left_output = std::any_of(
      all.begin(), all.end(), [&](const LogSource& source) { return Selects(selection, source.role, source.index); });
  if (has_left_output) return selection;
  return Error{ErrorCode::kUsage,
               "logs of " + view.id + ": no task '" + request.task + "'; the tasks are " + TaskList(view)};
}

Result<std::vector<LogSource>> ChooseSources(const std::vector<LogSource>& all, const LogSelection& selection) {
  std::map<std::pair<std::string, int>, int> newest;
  std::string attempts;
  for (const LogSource& source : all) {
    if (!Selects(selection, source.role, source.index)) continue;
    int& attempt = newest[{source.role, source.index}];
    attempt = std::max(attempt, source.attempt);
    const std::string number = std::to_string(source.attempt);
    if ((" " + attempts + ",").find(" " + number + ",") == std::string::npos)
      attempts += (attempts.empty() ? "" : ", ") + number;
  }
  std::vector<LogSource> chosen;
  bool has_attempt = false;
  for (const LogSource& source : all) {
    if (!Selects(selection, source.role, source.index)) continue;
    if (source.attempt != selection.attempt.value_or(newest[{source.role, source.index}])) continue;
    has_attempt = true;
    if (source.stream == LogStream::kStdout ? selection.want_stdout : selection.want_stderr) chosen.push_back(source);
  }
  if (selection.attempt && !has_attempt) {
    return Error{ErrorCode::kNotFound,
                 "attempt " + std::to_string(*selection.attempt) + " has no output; " +
                     (attempts.empty() ? "no attempt has any yet" : "the attempts with output are " + attempts)};
  }
  return chosen;
}

bool HaveEnded(const journal::JobView& view, const LogSelection& selection) {
  if (core::IsFinal(view.state)) return true;
  if (!selection.role) return false;
  return std::all_of(view.tasks.begin(), view.tasks.end(), [&](const journal::TaskView& task) {
    if (!Selects(selection, task.role, task.index)) return true;
    return core::IsFinal(task.state) || (selection.attempt && task.attempt > *selection.attempt);
  });
}

}  // namespace howdah::client
