// Starts child processes. The child shares the parent's memory until exec (as with vfork), so the cost does not grow
// with the parent's memory.
#pragma once

#include <sys/types.h>

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
  std::string program;                                // a path; relative to `directory` if not absolute
  std::vector<std::string> argv;                      // argv[0] included
  std::vector<std::string> environment;               // complete, "NAME=VALUE"
  std::string directory;                              // working directory; empty: that of the parent
  int stdin_fd = -1, stdout_fd = -1, stderr_fd = -1;  // -1: /dev/null
  std::vector<int> kept;     // other descriptors passed to the child under the same numbers; all others are closed
  bool new_group = true;     // the child leads its own process group
  bool new_session = false;  // the child leads its own session
  bool controlling_terminal = false;  // stdin becomes the controlling terminal; needs new_session
  int death_signal = 0;               // sent to the child when the spawning thread ends; 0: none
};

struct Child {
  pid_t pid = -1;
  files::Fd pidfd;  // readable once the child has ended
};

enum class SpawnStep { kCreate, kDirectory, kExec };
struct SpawnError {
  SpawnStep step = SpawnStep::kCreate;
  int error = 0;  // errno
};

// The child has default signal actions and no blocked signals. When Spawn returns, the child exists and has passed
// exec.
std::variant<Child, SpawnError> Spawn(const SpawnRequest& request);

// As Spawn, for callers that only need the message.
Result<Child> SpawnOrError(const SpawnRequest& request);
Error ToError(const SpawnRequest& request, const SpawnError& error);

// Finds a command as a shell does: a name with a slash is relative to `directory`; any other is searched in `path`
// (colon-separated; an empty part is `directory`).
struct FoundCommand {
  std::string program;  // absolute if `directory` is absolute; for EACCES the file that is not executable
  int error = 0;        // 0, ENOENT (not found) or EACCES (found, but not executable)
};
FoundCommand LookUpCommand(const std::string& name, std::string_view path, const std::string& directory);

// Reaps a child that has ended; nullopt: it still runs, or is not a child.
std::optional<ExitStatus> Reap(pid_t pid);
// Blocks until a child ends, and reaps it.
ExitStatus WaitFor(const Child& child);

}  // namespace howdah::os::process
