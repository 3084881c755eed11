// Fuzzed input: manifest.json, which the client has written to HDFS.
#include <cstddef>
#include <cstdint>
#include <string>

#include "manifest.h"

namespace howdah::executor {

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  static_cast<void>(ParseManifest(text));
  return 0;
}

}  // namespace howdah::executor
