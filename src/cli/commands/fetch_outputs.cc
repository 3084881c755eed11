#include "fetch_outputs.h"

#include "howdah/base/bytes.h"
#include "howdah/cli/output/terminal.h"
#include "howdah/client/outputs_note.h"
#include "howdah/os/files/files.h"

namespace howdah::cli::commands {
namespace {

std::string Counted(int64_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

// Keeps git and later jobs, whose source may be the current directory, from copying the outputs.
void Ignore(const std::string& directory) {
  const Status written = os::files::WriteFileAtomically(directory + "/.gitignore", "*\n", 0644);
  if (!written.ok()) output::PrintNote(written.error().message);
}

}  // namespace

Result<int64_t> FetchOutputs(backend::Cluster& cluster, const jobspec::JobSpec& spec, const journal::JobView& job,
                             const std::string& directory) {
  const bool is_new = !os::files::ListDirectory(directory, 1).ok();
  const auto fetched = cluster.FetchOutputs(JobId{job.id}, directory);
  if (!fetched.ok()) return fetched.error().While("fetching the outputs of " + job.id);
  if (fetched->files > 0) {
    if (is_new) Ignore(directory);
    output::PrintMessage("outputs: " + Counted(fetched->files, "file") + " (" + FormatBytes(fetched->bytes) + ") of " +
                         Counted(fetched->tasks, "task") + " in " + directory);
  }
  for (const std::string& problem : fetched->problems) output::PrintNote("outputs of " + problem);
  if (!core::IsFinal(job.state)) {
    if (fetched->files == 0) output::PrintMessage(job.id + " has no outputs yet");
  } else if (job.started) {
    for (const std::string& note : client::OutputsNotes(spec, fetched->paths)) output::PrintNote(note);
  }
  return fetched->files;
}

}  // namespace howdah::cli::commands
