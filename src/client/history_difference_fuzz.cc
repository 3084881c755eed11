// Reads job.json from the history of another user.
#include <cstddef>
#include <cstdint>
#include <string>

#include "howdah/client/history_difference.h"

namespace howdah::client {

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto settings = SettingsOfJobFile(text);
  if (settings.ok() && !Differences(*settings, *settings).empty()) __builtin_trap();
  return 0;
}

}  // namespace howdah::client
