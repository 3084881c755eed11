// Parses the input as a trust store of Java.
#include <cstddef>
#include <cstdint>

#include "key_store.h"

namespace howdah::hadoop::web {

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  static_cast<void>(AuthoritiesIn(bytes, std::nullopt));
  static_cast<void>(AuthoritiesIn(bytes, "changeit"));
  return 0;
}

}  // namespace howdah::hadoop::web
