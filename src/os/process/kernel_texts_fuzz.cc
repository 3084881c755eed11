// Fuzzed input: texts of the kernel in /proc, /sys and cgroups, and the kernel's log. The first byte selects the
// parser.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "counter_texts.h"
#include "howdah/os/files/fd.h"
#include "howdah/os/process/kernel_log.h"
#include "howdah/os/process/ports.h"

namespace howdah::os::process {
namespace {

// The kernel's log is a file to which the input is appended in two pieces.
void ReadKernelLog(std::string_view text) {
  constexpr size_t kMost = 128 << 10;
  const files::Fd file(::memfd_create("kern.log", MFD_CLOEXEC));
  KernelLog log;
  log.Begin("/proc/self/fd/" + std::to_string(file.get()));
  const std::string_view first = text.substr(0, text.size() / 2), rest = text.substr(first.size());
  for (const std::string_view piece : {first, rest}) {
    if (::write(file.get(), piece.data(), piece.size()) != static_cast<ssize_t>(piece.size())) return;
    if (log.Read().size() > kMost) __builtin_trap();
  }
  if (log.Read() != text) __builtin_trap();
}

// The kernel's counters are never negative, so a negative number is an error of the parser.
void Check(const std::optional<int64_t>& count) {
  if (count && *count < 0) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  // A form feed separates the arguments of parsers of two texts.
  const std::string_view first = text.substr(0, text.find('\f'));
  const std::string_view second = text.substr(std::min(first.size() + 1, text.size()));
  switch (data[0] % 8) {
    case 0:
      Check(ParseCount(text));
      break;
    case 1:
      Check(CountAfter(second, first));
      break;
    case 2:
      Check(ParsePressure(text));
      break;
    case 3:
      ParseTraffic(text, [](std::string_view interface) { return interface != "lo"; });
      ParseDataNodeConnections(text);
      break;
    case 4:
      ParseCgroupDirectories(first, second);
      break;
    case 5:
      ParseIds(text);
      break;
    case 6:
      ListeningInodes(text, 8080);
      break;
    default:
      ReadKernelLog(text);
  }
  return 0;
}

}  // namespace howdah::os::process
