// The index is a file that other programs of the user can change, and that a full disk or a crash can damage.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "howdah/index/ended_jobs.h"
#include "howdah/index/store.h"
#include "howdah/os/files/files.h"
#include "howdah/os/files/temporary_directory.h"

namespace howdah::index {

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const os::files::TemporaryDirectory folder = *os::files::TemporaryDirectory::Make("index");
  const std::string path = folder.path() + "/index.db";
  for (const char* suffix : {"", "-wal", "-shm"}) (void)os::files::RemoveTree(path + suffix);
  const std::string_view content(reinterpret_cast<const char*>(data), size);
  if (!os::files::WriteFileAtomically(path, content).ok()) abort();
  if (auto jobs = EndedJobs::Open(path)) (void)jobs->Find("local", "a");
  Store store(path, "");
  (void)store.Find({.limit = 10, .facets = true});
  (void)store.Get({"local", "a"});
  store.Apply({{.id = "b", .name = "n", .backend = "local", .status_json = "{}"}}, {{"local", "a"}});
  (void)store.Find({.order = {query::SortColumn::kName, false}, .limit = 10});
  return 0;
}

}  // namespace howdah::index
