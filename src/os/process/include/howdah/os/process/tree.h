// Handles all processes below this one, in any session or process group.
#pragma once

#include <sys/types.h>

#include <optional>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/os/process/spawn.h"

namespace howdah::os::process {

// Makes this process the parent of orphaned descendants. Otherwise init would become their parent.
Status BecomeSubreaper();

// Returns the processes below `root` without zombies, parents before children. The result is a snapshot: processes that
// are started or get another parent during the call may be missing.
std::vector<pid_t> Descendants(pid_t root);

// Sends a signal once to every process below this one, and returns the number of processes found. A process started
// during the call may be missed; the next call, after its parent has ended, finds it.
size_t SignalDescendants(int signal);

// Returns the elements of `leaders` whose process group has a living member below this process.
std::vector<pid_t> LivingGroups(const std::vector<pid_t>& leaders);

// Reaps any child that has ended. Returns nullopt if no child has ended.
struct Reaped {
  pid_t pid = -1;
  ExitStatus status;
  double cpu_seconds = 0;  // CPU time of the child and its reaped descendants
};
std::optional<Reaped> ReapAny();
// Whether this process has a child, running or zombie.
bool HasChildren();

// For a subreaper: kills and reaps until no child is left. Afterwards, every process that this process or a descendant
// has started is gone.
void KillAllDescendants();

// Marks every descriptor above stderr close-on-exec, so that inherited descriptors are not passed on to children.
void CloseInheritedOnExec();

}  // namespace howdah::os::process
