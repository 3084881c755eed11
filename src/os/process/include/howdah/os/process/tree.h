// All processes below this one, in whatever session or process group they are.
#pragma once

#include <sys/types.h>

#include <optional>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/os/process/spawn.h"

namespace howdah::os::process {

// Makes orphans below this process children of this process instead of init.
Status BecomeSubreaper();

// The processes below `root`, parents before children, without zombies. A snapshot: processes that are started or
// re-parented during the call may be missed.
std::vector<pid_t> Descendants(pid_t root);

// Sends a signal once to every process below this one. Processes started during the call may be missed, but a further
// call after their parent's end finds them. Returns the number of processes found.
size_t SignalDescendants(int signal);

// Those of the process groups led by `leaders` that have a living member below this process.
std::vector<pid_t> LivingGroups(const std::vector<pid_t>& leaders);

// Reaps any child that has ended; nullopt: none has.
struct Reaped {
  pid_t pid = -1;
  ExitStatus status;
};
std::optional<Reaped> ReapAny();
// Whether this process has a child, running or zombie.
bool HasChildren();

// For a subreaper: kills and reaps until no child is left. Afterwards no process remains that this process or a
// descendant started.
void KillAllDescendants();

// Marks every descriptor above stderr close-on-exec, so that inherited descriptors are not passed on to children.
void CloseInheritedOnExec();

}  // namespace howdah::os::process
