#include "log_tree.h"

#include <unistd.h>

#include "howdah/backend/local/layout.h"
#include "howdah/base/number.h"
#include "howdah/os/files/files.h"

namespace howdah::backend::local {
namespace {

using backend::LogSource;
using backend::LogStream;
using Kind = LogPosition::Kind;

std::optional<int> Number(std::string_view text) {
  const auto number = ParseNumber<int>(text);
  return number && *number >= 0 ? number : std::nullopt;
}

std::optional<LogPosition> Task(std::string_view name) {
  const size_t dash = name.rfind('-');  // a role's name may contain dashes
  if (dash == std::string_view::npos || dash == 0) return std::nullopt;
  const auto index = Number(name.substr(dash + 1));
  if (!index) return std::nullopt;
  LogPosition position;
  position.source.role = name.substr(0, dash);
  position.source.index = *index;
  return position;
}

void Walk(const std::string& path, const std::optional<LogPosition>& position,
          const std::function<void(const LogSource&)>& found) {
  const auto names = os::files::ListDirectory(path);
  if (!names.ok()) return;
  for (const std::string& name : *names) {
    const auto below = Descend(position, name);
    if (!below) continue;
    if (below->kind == Kind::kFile) {
      found(below->source);
    } else {
      Walk(path + "/" + name, below, found);
    }
  }
}

std::string_view FileName(LogStream stream) { return stream == LogStream::kStdout ? "stdout" : "stderr"; }

}  // namespace

std::optional<LogPosition> Descend(const std::optional<LogPosition>& parent, std::string_view name) {
  if (!parent) return Task(name);
  LogPosition position = *parent;
  if (parent->kind == Kind::kTask) {
    const auto attempt = Number(name);
    if (!attempt) return std::nullopt;
    position.kind = Kind::kAttempt;
    position.source.attempt = *attempt;
    return position;
  }
  if (parent->kind == Kind::kFile) return std::nullopt;
  if (name == FileName(LogStream::kStdout) || name == FileName(LogStream::kStderr)) {
    position.kind = Kind::kFile;
    position.source.stream = name == FileName(LogStream::kStdout) ? LogStream::kStdout : LogStream::kStderr;
    return position;
  }
  const auto rank = Number(name);
  if (!rank || parent->kind == Kind::kRank) return std::nullopt;
  position.kind = Kind::kRank;
  position.source.local_rank = *rank;
  return position;
}

bool Matches(const backend::LogSelection& selection, const LogPosition& position) {
  const LogSource& source = position.source;
  if (selection.role && *selection.role != source.role) return false;
  if (selection.index && *selection.index != source.index) return false;
  if (position.kind == Kind::kTask) return true;
  if (selection.attempt && *selection.attempt != source.attempt) return false;
  if (position.kind != Kind::kFile) return true;
  return source.stream == LogStream::kStdout ? selection.want_stdout : selection.want_stderr;
}

std::string LogPath(const std::string& logs, const LogSource& source) {
  const std::string attempt =
      logs + "/" + JobFiles::TaskName(source.role, source.index) + "/" + std::to_string(source.attempt) + "/";
  std::string of_rank = attempt + std::to_string(source.local_rank) + "/" + std::string(FileName(source.stream));
  if (access(of_rank.c_str(), F_OK) == 0) return of_rank;
  return attempt + std::string(FileName(source.stream));
}

void ForEachLog(const std::string& logs, const std::function<void(const LogSource&)>& found) {
  Walk(logs, std::nullopt, found);
}

}  // namespace howdah::backend::local
