#include "lock_check.h"

#include <string_view>

namespace howdah::backend::local {
namespace {

using Level = backend::Finding::Level;

struct NetworkFileSystem {
  std::string_view type, setting;  // setting: what makes locks visible to other hosts
};
constexpr NetworkFileSystem kNetworkFileSystems[] = {
    {"nfs", "it is mounted without `nolock` and `local_lock`"},
    {"nfs4", "it is mounted without `local_lock`"},
    {"lustre", "it is mounted with `flock`, not with `localflock`"},
    {"beegfs", "`tuneUseGlobalFileLocks` is true in beegfs-client.conf"},
};

}  // namespace

backend::Finding LockFinding(const LockAttempts& attempts, const os::files::Space& space) {
  const std::string where = space.mount_point + " (" + space.type + ")";
  const std::string advice = "set HOWDAH_HOME to a directory on a local disk";
  for (const Result<bool>* attempt : {&attempts.first, &attempts.second}) {
    if (!attempt->ok())
      return {Level::kProblem, "files cannot be locked on " + where + ": " + attempt->error().message, advice};
  }
  if (*attempts.first && *attempts.second)
    return {Level::kProblem, "locks on " + where + " do not exclude each other", advice};
  for (const NetworkFileSystem& network : kNetworkFileSystems) {
    if (space.type != network.type) continue;
    return {Level::kWarning,
            "locks work on " + where + " between processes of this host; other hosts see them only if " +
                std::string(network.setting),
            "if several hosts use this directory and do not share locks, " + advice};
  }
  return {Level::kOk, "locks work on " + where, ""};
}

}  // namespace howdah::backend::local
