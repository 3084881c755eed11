// Fuzzed input: a path on the first line, then the text of /proc/self/mountinfo. Users choose the names of mount
// points.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "howdah/os/files/space.h"

namespace howdah::os::files {

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const size_t end = std::min(text.find('\n'), text.size());
  const std::string_view path = text.substr(0, end), mountinfo = text.substr(std::min(end + 1, text.size()));
  const Space space = MountOf(mountinfo, path);
  if (space.mount_point != "/" && !path.starts_with(space.mount_point)) __builtin_trap();
  ToText(space);
  return 0;
}

}  // namespace howdah::os::files
