// How the output of a job lies on the disk: logs/ROLE-INDEX/ATTEMPT/[LOCAL_RANK/]{stdout,stderr}.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "howdah/backend/cluster.h"

namespace howdah::backend::local {

// Where in the tree of logs/ a path is, relative to logs/: what is known of its source so far.
struct LogPosition {
  enum class Kind { kTask, kAttempt, kRank, kFile } kind = Kind::kTask;
  backend::LogSource source;
};

// What `name` is within a directory at `parent` (nullopt: logs/ itself); nullopt for what does not belong into the
// tree.
std::optional<LogPosition> Descend(const std::optional<LogPosition>& parent, std::string_view name);

// Whether the selection may want something at or below the position.
bool Wants(const backend::LogSelection& selection, const LogPosition& position);

// The file of a source below the directory `logs`: the one of several processes if it is there, else the task's own.
std::string LogPath(const std::string& logs, const backend::LogSource& source);

// Every file in the tree, in no order.
void ForEachLog(const std::string& logs, const std::function<void(const backend::LogSource&)>& found);

}  // namespace howdah::backend::local
