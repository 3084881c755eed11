// Starts child processes. The child shares the parent's memory until exec, as with vfork, so the cost does not depend
// on the size of the parent's memory.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "howdah/base/exit_status.h"
#include "howdah/base/result.h"
#include "howdah/os/files/fd.h"

namespace howdah::os::process {

struct SpawnRequest {
  std::string program;                                // a path; if not absolute, relative to `directory`
  std::vector<std::string> argv;                      // including argv[0]
  std::vector<std::string> environment;               // the complete environment, "NAME=VALUE"
  std::string directory;                              // working directory; if empty, the parent's
  int stdin_fd = -1, stdout_fd = -1, stderr_fd = -1;  // -1 for /dev/null
  std::vector<int> kept;     // other descriptors passed to the child under the same numbers; all others are closed
  int directory_fd = -1;     // the child has its working directory open under this number, 3 or higher; -1: not open
  bool new_group = true;     // whether the child leads its own process group
  bool new_session = false;  // whether the child leads its own session
  bool controlling_terminal = false;   // stdin becomes the controlling terminal; requires new_session
  int death_signal = 0;                // sent to the child when the spawning thread ends; 0 for none
  std::optional<uint64_t> open_files;  // soft limit of open files (limits.h); nullopt: the parent's limit
};

struct Child {
  pid_t pid = -1;
  files::Fd pidfd;  // readable once the child has ended
};

enum class SpawnStep { kCreate, kDirectory, kExec };
struct SpawnError {
  SpawnStep step = SpawnStep::kCreate;
  int error = 0;  // an errno
};

// Returns once the child exists and has passed exec. The child has default signal actions and no blocked signals.
std::variant<Child, SpawnError> Spawn(const SpawnRequest& request);

// Same as Spawn, for callers that only need the message.
Result<Child> SpawnOrError(const SpawnRequest& request);
Error ToError(const SpawnRequest& request, const SpawnError& error);

// Finds a command as a shell does. A name with a slash is relative to `directory`. Any other name is searched in `path`
// (colon-separated; an empty part means `directory`).
struct FoundCommand {
  std::string program;  // absolute if `directory` is absolute; for EACCES, the file that is not executable
  int error = 0;        // 0, ENOENT (not found) or EACCES (found, but not executable)
};
FoundCommand LookUpCommand(const std::string& name, std::string_view path, const std::string& directory);

// Reaps a child that has ended. Returns nullopt if it still runs or is not a child.
std::optional<ExitStatus> Reap(pid_t pid);
// Blocks until a child ends, and reaps it.
ExitStatus WaitFor(const Child& child);

}  // namespace howdah::os::process
