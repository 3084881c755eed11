// Searches the input for the address that TensorBoard prints.
#include <cstddef>
#include <cstdint>
#include <string>

#include "howdah/frameworks/tensorboard.h"

namespace howdah::frameworks {

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (const std::string url = TensorBoardAddress(text); !url.empty()) PortOf(url);
  return 0;
}

}  // namespace howdah::frameworks
