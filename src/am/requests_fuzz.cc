// Fuzzes the parsers of requests to the AM's HTTP servers: paths of the status page, and the notice address of a
// Horovod process.
#include <cstddef>
#include <cstdint>
#include <string>

#include "horovod_notice.h"
#include "tracking_page.h"

namespace howdah::am {

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (const auto log = ParseLogPath(text); log && !ParseLogPath("/" + LogLink(*log, true))) __builtin_trap();
  RedirectOf({"10.0.0.1"}, "10.0.0.2", "http://example.com/proxy/application_1_1/", text);
  if (Escape(text).find_first_of("<>\"'") != std::string::npos) __builtin_trap();
  static_cast<void>(DecodeNoticeAddress(text));
  return 0;
}

}  // namespace howdah::am
