// Reads the input as the requests of a client: frames with their sizes, and their headers.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "frame.h"
#include "howdah/hadoop/fileserver/serve.h"
#include "request.h"

namespace howdah::hadoop::fileserver {

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view input(reinterpret_cast<const char*>(data), size);
  while (input.size() >= kPrefix) {
    const auto sizes = ParseSizes(input.substr(0, kPrefix));
    if (!sizes.ok()) return 0;
    if (sizes->header > kMaxHeader || sizes->payload > kMaxPayload) __builtin_trap();
    if (WriteSizes(sizes->header, sizes->payload) != input.substr(0, kPrefix)) __builtin_trap();
    input.remove_prefix(kPrefix);
    const auto request = ParseRequest(input.substr(0, sizes->header));
    if (request.ok() && (request->file < 0 || request->offset < 0 || request->length < 0 || request->memory < 0))
      __builtin_trap();
    input.remove_prefix(std::min(input.size(), sizes->header + sizes->payload));
  }
  return 0;
}

}  // namespace howdah::hadoop::fileserver
