// Fuzzes the parser of am.json.
#include <cstddef>
#include <cstdint>
#include <string>

#include "howdah/backend/yarn/am_start.h"

namespace howdah::backend::yarn {

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto start = ParseAmStart(text);
  if (start.ok() && !ParseAmStart(WriteAmStart(*start)).ok()) __builtin_trap();
  return 0;
}

}  // namespace howdah::backend::yarn
