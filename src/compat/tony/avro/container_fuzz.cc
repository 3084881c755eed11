// Reads the input as an Avro file of a shared history.
#include <cstddef>
#include <cstdint>
#include <string>

#include "howdah/compat/tony/avro/container.h"

namespace howdah::compat::tony::avro {

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  static_cast<void>(ReadContainer(text, [](const Json&) { return Status(); }));
  return 0;
}

}  // namespace howdah::compat::tony::avro
