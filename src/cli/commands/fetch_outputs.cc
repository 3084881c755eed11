#include "fetch_outputs.h"

#include "howdah/base/bytes.h"
#include "howdah/cli/output/terminal.h"

namespace howdah::cli::commands {
namespace {

std::string Counted(int64_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

}  // namespace

Result<bool> FetchOutputs(backend::Cluster& cluster, const JobId& id, const std::string& directory) {
  const auto fetched = cluster.FetchOutputs(id, directory);
  if (!fetched.ok()) return fetched.error().While("fetching the outputs of " + id.text);
  if (fetched->files == 0) return false;
  output::PrintMessage("outputs: " + Counted(fetched->files, "file") + " (" + FormatBytes(fetched->bytes) + ") of " +
                       Counted(fetched->tasks, "task") + " in " + directory);
  return true;
}

}  // namespace howdah::cli::commands
