// `howdah history move` and `howdah history purge`. TonY's portal does this maintenance regularly in the background;
// these commands do it once.
#pragma once

#include <optional>
#include <string>

#include "howdah/client/history_source.h"

namespace howdah::cli::commands {

struct ArchiveOptions {
  std::string directory;               // the value of --dir
  std::optional<Duration> older_than;  // only for purge
  // The time zone of the day directories. If empty, tony-site.xml names the time zone; the default is UTC.
  std::string time_zone;
  bool dry_run = false, json = false;
};

Result<int> MoveHistory(client::Connection& connection, const ArchiveOptions& options);
Result<int> PurgeHistory(client::Connection& connection, const ArchiveOptions& options);

}  // namespace howdah::cli::commands
