// Fuzzes the parser of a task's progress file.
#include <cstddef>
#include <cstdint>
#include <string>

#include "howdah/core/progress.h"

namespace howdah::core {

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  static_cast<void>(ParseProgressLine(text));
  return 0;
}

}  // namespace howdah::core
