// Everything that is below this process, in whatever session or process group it hides.
#pragma once

#include <sys/types.h>

#include <optional>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/os/process/spawn.h"

namespace howdah::os::process {

// From now on orphans below this process become its children instead of init's.
Status BecomeSubreaper();

// The processes below `root`, parents before their children; those that have ended but are not reaped are left out. A
// snapshot: what is started or re-parented meanwhile may be missed.
std::vector<pid_t> Descendants(pid_t root);

// Sends a signal to every process below this one, once. What such a process starts meanwhile may be missed, but is seen
// at the latest in a further call after its parent's end. Returns how many were found.
size_t SignalDescendants(int signal);

// The process groups, of those that `leaders` lead or led, that have a living member below this process.
std::vector<pid_t> LivingGroups(const std::vector<pid_t>& leaders);

// A child that has ended, reaped; nullopt: none has.
struct Reaped {
  pid_t pid = -1;
  ExitStatus status;
};
std::optional<Reaped> ReapAny();
// Whether this process has a child, dead or alive.
bool HasChildren();

// For a subreaper: kills and reaps until it has no child left; then nothing that it or a descendant ever started is
// left.
void KillAllDescendants();

// Marks every descriptor above stderr close-on-exec: what was handed to this process is not handed on.
void CloseInheritedOnExec();

}  // namespace howdah::os::process
