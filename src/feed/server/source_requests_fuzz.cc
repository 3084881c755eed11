// Fuzzes the requests of sources on this machine.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "howdah/feed/ledger.h"
#include "source_requests.h"

namespace howdah::feed::server {

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const SourceRequest parsed = ParseSourceRequest({reinterpret_cast<const char*>(data), size});
  if (parsed.id < 0) __builtin_trap();
  if (!parsed.request.ok()) return 0;
  if (const auto* put = std::get_if<PutRequest>(&*parsed.request)) {
    if (put->block.rows < 1 || put->block.rows > kMostRows - put->block.first_row || put->body_bytes < 0) {
      __builtin_trap();
    }
    if (put->has_body && static_cast<int64_t>(put->block.body.size()) != put->body_bytes) __builtin_trap();
  }
  if (const auto* written = std::get_if<WrittenRequest>(&*parsed.request)) {
    if (written->put < 0) __builtin_trap();
  }
  return 0;
}

}  // namespace howdah::feed::server
