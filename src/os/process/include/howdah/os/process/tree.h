// Handles all processes below this one, in any session or process group.
#pragma once

#include <sys/types.h>

#include <optional>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/os/process/spawn.h"

namespace howdah::os::process {

// Makes this process, instead of init, the new parent of orphans below it.
Status BecomeSubreaper();

// The processes below `root`, parents before children, without zombies. The list is a snapshot: processes that are
// started or re-parented during the call may be missing.
std::vector<pid_t> Descendants(pid_t root);

// Sends a signal once to every process below this one, and returns the number of processes found. Processes started
// during the call may be missed; another call after their parent's end finds them.
size_t SignalDescendants(int signal);

// Returns those of `leaders` with a living member of their process group below this process.
std::vector<pid_t> LivingGroups(const std::vector<pid_t>& leaders);

// Reaps any child that has ended. Returns nullopt if none has.
struct Reaped {
  pid_t pid = -1;
  ExitStatus status;
};
std::optional<Reaped> ReapAny();
// Whether this process has a child, running or zombie.
bool HasChildren();

// For a subreaper: kills and reaps until no child is left. After that, no process remains that this process or a
// descendant started.
void KillAllDescendants();

// Marks every descriptor above stderr close-on-exec, so that inherited descriptors are not passed on to children.
void CloseInheritedOnExec();

}  // namespace howdah::os::process
