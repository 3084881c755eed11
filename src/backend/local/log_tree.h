// The layout of a job's output: logs/ROLE-INDEX/ATTEMPT/[LOCAL_RANK/]{stdout,stderr}.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "howdah/backend/cluster.h"

namespace howdah::backend::local {

// The position of a file or directory in logs/. Only the fields of `source` that its path determines are set.
struct LogPosition {
  enum class Kind { kTask, kAttempt, kRank, kFile } kind = Kind::kTask;
  backend::LogSource source;
};

// Returns the position of `name` in the directory `parent`. If parent is nullopt, the directory is logs/ itself.
// Returns nullopt if the name does not fit the layout.
std::optional<LogPosition> Descend(const std::optional<LogPosition>& parent, std::string_view name);

// Whether the selection may include a file at or below the position.
bool Matches(const backend::LogSelection& selection, const LogPosition& position);

// Returns the path of a source's file below the directory `logs`: the file of its rank if that exists, otherwise the
// file of the task.
std::string LogPath(const std::string& logs, const backend::LogSource& source);

// Visits every file of the tree, in no particular order.
void ForEachLog(const std::string& logs, const std::function<void(const backend::LogSource&)>& found);

}  // namespace howdah::backend::local
