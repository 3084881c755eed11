// Fuzzes the readers of the files in a job's directory and of the lease files of other jobs. Such a file may be
// damaged, or belong to another user.
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "am_client.h"
#include "howdah/os/files/files.h"
#include "job_host.h"
#include "journal_reader.h"
#include "lease_registry.h"

namespace howdah::backend::local {

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const JobFiles files("/dev/shm/howdah-fuzz-" + std::to_string(::getpid()));
  const std::string leases = files.directory() + "/leases", other = leases + "/b.lease";
  if (!os::files::MakeDirectories(leases, 0700).ok()) __builtin_trap();
  for (const std::string& path : {files.host(), files.am_address(), files.journal(), other}) {
    if (!os::files::WriteFileAtomically(path, text, 0600).ok()) __builtin_trap();
  }
  static_cast<void>(ReadJobHost(files));
  static_cast<void>(FindAm(files));
  static_cast<void>(FoldJournal(files.journal(), Tasks::kIncluded));
  HasEndEntry(files.journal());
  const os::files::Fd held(::open(other.c_str(), O_RDONLY | O_CLOEXEC));
  ::flock(held.get(), LOCK_EX | LOCK_NB);
  auto own = LeaseRegistry::Open(leases, {.job = "a"});
  if (!own.ok()) __builtin_trap();
  static_cast<void>(own->Request({int64_t{1} << 30, 4, {0, 1}}, {{"c1", 1 << 20, 1, 1}}, Instant()));
  static_cast<void>(os::files::RemoveTree(files.directory()));
  return 0;
}

}  // namespace howdah::backend::local
