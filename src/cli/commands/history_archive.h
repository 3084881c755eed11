// `howdah history move` and `purge`: the maintenance that TonY's portal does in the background, done once.
#pragma once

#include <optional>
#include <string>

#include "howdah/client/history_source.h"

namespace howdah::cli::commands {

struct ArchiveOptions {
  std::string directory;               // --dir
  std::optional<Duration> older_than;  // of purge
  std::string time_zone;               // of the directories of days; empty: as tony-site.xml says, otherwise UTC
  bool dry_run = false, json = false;
};

Result<int> MoveHistory(client::Connection& connection, const ArchiveOptions& options);
Result<int> PurgeHistory(client::Connection& connection, const ArchiveOptions& options);

}  // namespace howdah::cli::commands
