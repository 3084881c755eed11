#include "howdah/client/directory_note.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "howdah/os/files/files.h"

namespace howdah::client {
namespace {

// Returns the keys and values of the directories on this machine.
std::vector<std::pair<std::string, std::string>> Directories(const jobspec::JobSpec& spec) {
  std::vector<std::pair<std::string, std::string>> directories;
  if (spec.checkpoint.dir.starts_with('/')) directories.emplace_back("checkpoint.dir", spec.checkpoint.dir);
  if (spec.tensorboard_logdir.starts_with('/')) directories.emplace_back("tensorboard.logdir", spec.tensorboard_logdir);
  return directories;
}

bool Exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

}  // namespace

std::vector<std::string> UnwritableDirectories(const jobspec::JobSpec& spec) {
  std::vector<std::string> notes;
  for (const auto& [key, directory] : Directories(spec)) {
    if (!Exists(directory) || ::access(directory.c_str(), W_OK | X_OK) == 0) continue;
    notes.push_back(key + ": tasks can only read: " + os::files::SystemError("writing to " + directory).message +
                    "; choose another directory if the job writes there");
  }
  return notes;
}

std::vector<std::string> MissingDirectories(const jobspec::JobSpec& spec) {
  std::vector<std::string> notes;
  for (const auto& [key, directory] : Directories(spec)) {
    if (!Exists(directory) && errno == ENOENT)
      notes.push_back(key + ": " + directory + " does not exist yet; it is created when the job is submitted");
  }
  return notes;
}

}  // namespace howdah::client
