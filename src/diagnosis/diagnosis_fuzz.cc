// Diagnoses a failed process. The input has its output, its error.json, and messages of the kernel.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "howdah/diagnosis/diagnosis.h"
#include "howdah/diagnosis/stacks.h"
#include "kernel.h"

namespace howdah::diagnosis {

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  // NUL bytes separate stderr, the error file, the kernel log and stdout.
  std::string_view left = text;
  const auto next = [&left] {
    const std::string part(left.substr(0, left.find('\0')));
    left.remove_prefix(std::min(left.size(), part.size() + 1));
    return part;
  };
  Evidence evidence;
  evidence.exit.code = 1;
  evidence.host = "node7";
  evidence.pid = 812;
  evidence.gpus = 1;
  evidence.pci_addresses[0] = "00000000:3B:00.0";
  evidence.stderr_tail = next();
  evidence.error_file = next();
  evidence.kernel_log = next();
  evidence.stdout_tail = next();
  Diagnose(evidence);
  PortsNamedIn(evidence.stderr_tail);
  StackLocation(text);
  PciAddress(text);
  return 0;
}

}  // namespace howdah::diagnosis
