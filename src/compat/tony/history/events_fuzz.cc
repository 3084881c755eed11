// Files and names in a TonY history that others may write.
#include <cstddef>
#include <cstdint>
#include <string>

#include "howdah/compat/tony/history/configuration.h"
#include "howdah/compat/tony/history/events.h"
#include "howdah/compat/tony/history/file_name.h"

namespace howdah::compat::tony::history {

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (const auto events = ReadEvents(text); events.ok()) {
    for (const Event& event : events->events) DescribeEvent(event);
  }
  static_cast<void>(ReadConfiguration(text));
  if (const auto name = ParseFileName(text)) WriteFileName(*name);
  EndOfDay(text);
  return 0;
}

}  // namespace howdah::compat::tony::history
