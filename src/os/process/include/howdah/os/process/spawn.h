// Starting a child process, fast: the parent's memory is shared until the exec (as vfork does), so the cost does not
// grow with the parent.
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
  std::vector<std::string> environment;               // all of it, "NAME=VALUE"
  std::string directory;                              // working directory; empty: the parent's
  int stdin_fd = -1, stdout_fd = -1, stderr_fd = -1;  // -1: /dev/null
  std::vector<int> kept;     // further descriptors the child has, under the same numbers; all others are closed
  bool new_group = true;     // the child leads a process group of its own
  bool new_session = false;  // ... and a session
  bool controlling_terminal = false;  // ... whose terminal is its stdin; of a new session only
  int death_signal = 0;               // sent to the child when the thread that spawned it ends; 0: none
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

// The child has the default action for every signal and none blocked. It exists, and has passed its exec, when this
// returns.
std::variant<Child, SpawnError> Spawn(const SpawnRequest& request);

// The same for callers to whom only the message matters.
Result<Child> SpawnOrError(const SpawnRequest& request);
Error ToError(const SpawnRequest& request, const SpawnError& error);

// Where a command is, as a shell finds it: a name with a slash counts from `directory`, any other is looked for in
// `path` (colon-separated; an empty part is `directory`).
struct FoundCommand {
  std::string program;  // absolute if `directory` is; where error is EACCES, the file that is not executable
  int error = 0;        // 0, ENOENT (not there) or EACCES (there, but nothing that can be executed)
};
FoundCommand LookUpCommand(const std::string& name, std::string_view path, const std::string& directory);

// Takes the status of a child that has ended; nullopt: it still runs (or is no child).
std::optional<ExitStatus> Reap(pid_t pid);
// Waits for the end of a child, and takes its status.
ExitStatus WaitFor(const Child& child);

}  // namespace howdah::os::process
