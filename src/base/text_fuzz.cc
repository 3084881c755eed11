// Passes text of any origin to the text helpers and to the parsers of amounts, times and addresses.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "howdah/base/bytes.h"
#include "howdah/base/host_port.h"
#include "howdah/base/text.h"
#include "howdah/base/time.h"

namespace howdah {

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::string shown = Shown(text), line = OneLine(text, 20);
  if (shown.size() > text.size() || Shown(shown) != shown || Shown(line) != line || line.size() > 20) __builtin_trap();
  if (Shorten(text, 10).size() > std::max<size_t>(text.size(), 10) || Shorten(text, 10).size() > 10) __builtin_trap();
  SaysNoSpace(text);
  if (const auto bytes = ParseBytes(text); bytes && *bytes < 0) __builtin_trap();
  if (const auto time = ParseInstant(text)) FormatInstant(*time);
  if (const auto duration = ParseDuration(text); duration && ParseDuration(DurationToText(*duration)) != duration) {
    __builtin_trap();
  }
  if (const auto address = ParseHostPort(text); address.ok()) {
    const auto again = ParseHostPort(address->Text());
    if (!again.ok() || *again != *address) __builtin_trap();
  }
  return 0;
}

}  // namespace howdah
