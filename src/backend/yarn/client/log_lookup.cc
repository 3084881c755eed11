#include "log_lookup.h"

namespace howdah::backend::yarn::client {
namespace {

using backend::LogSource;
using backend::LogStream;

}  // namespace

std::string LogFileName(const LogSource& source, bool several_processes) {
  std::string name = "attempt-" + std::to_string(source.attempt);
  if (several_processes) name += ".rank-" + std::to_string(source.local_rank);
  return name + (source.stream == LogStream::kStdout ? ".stdout" : ".stderr");
}

std::map<LogSource, LogFileLocation> LogLocations(const std::vector<core::JournalEntry>& journal) {
  struct Home {
    std::string container, node;
  };
  std::map<std::pair<std::string, int>, Home> homes;
  std::map<LogSource, LogFileLocation> places;
  for (const core::JournalEntry& entry : journal) {
    const auto* task = std::get_if<core::TaskChanged>(&entry.change);
    if (task == nullptr) continue;
    Home& home = homes[{task->role, task->index}];
    if (task->container) home.container = *task->container;
    if (task->node) home.node = *task->node;
    using Type = core::TaskChanged::Type;
    const bool began = task->type == Type::kStarted || (task->type == Type::kExited && task->exit);
    if (!began || home.container.empty()) continue;
    const int processes = task->pids ? std::max(1, static_cast<int>(task->pids->size())) : 1;
    for (int rank = 0; rank < processes; ++rank) {
      for (const LogStream stream : {LogStream::kStdout, LogStream::kStderr}) {
        const LogSource source{task->role, task->index, task->attempt, rank, stream};
        // One that could not be started has no entry of its start, and may have said why on its stderr.
        places.try_emplace(source, LogFileLocation{home.container, home.node, LogFileName(source, processes > 1)});
      }
    }
  }
  return places;
}

LogSource FromWire(const wire::LogSource& source) {
  return {source.role(), source.index(), source.attempt(), source.local_rank(),
          source.is_stderr() ? LogStream::kStderr : LogStream::kStdout};
}

wire::LogSource ToWire(const LogSource& source) {
  wire::LogSource wire;
  wire.set_role(source.role);
  wire.set_index(source.index);
  wire.set_attempt(source.attempt);
  wire.set_local_rank(source.local_rank);
  wire.set_is_stderr(source.stream == LogStream::kStderr);
  return wire;
}

bool Wants(const backend::LogSelection& selection, const LogSource& source) {
  if (selection.role && *selection.role != source.role) return false;
  if (selection.index && *selection.index != source.index) return false;
  if (selection.attempt && *selection.attempt != source.attempt) return false;
  return source.stream == LogStream::kStdout ? selection.want_stdout : selection.want_stderr;
}

}  // namespace howdah::backend::yarn::client
