// The finding of `howdah doctor` about file locks.
#pragma once

#include "howdah/backend/cluster.h"
#include "howdah/base/result.h"
#include "howdah/os/files/space.h"

namespace howdah::backend::local {

// The result of two attempts to lock one file through different open files, the first lock still held: true if the
// attempt got the lock.
struct LockAttempts {
  Result<bool> first, second;
};

// Decides whether locks work on a file system. Two processes that both get the lock of one file would each take the
// other's jobs for orphaned jobs. Locks of one host say nothing about other hosts, so network file systems whose
// locks depend on mount options give a warning.
backend::Finding LockFinding(const LockAttempts& attempts, const os::files::Space& space);

}  // namespace howdah::backend::local
