// Fuzzed input: the output of nvidia-smi, and files of the kernel with names that users choose.
#include <cstddef>
#include <cstdint>
#include <string>

#include "cgroup.h"
#include "howdah/os/process/machine.h"
#include "howdah/os/process/ports.h"
#include "howdah/os/process/usage.h"

namespace howdah::os::process {

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  ParseGpus(text);
  ParseGpuUsage(text);
  ParseCgroup(text, "/sys/fs/cgroup");
  for (const PortRange& range : ParsePortRanges(text)) {
    if (range.first > range.last) __builtin_trap();
  }
  return 0;
}

}  // namespace howdah::os::process
