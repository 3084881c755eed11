// The content of /proc/net/tcp.
#include <cstddef>
#include <cstdint>
#include <string>

#include "loopback_peer.h"

namespace howdah::rpc::streams {

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  static_cast<void>(OwnerOf(text, "0100007F:A0B1", "0100007F:1F90"));
  return 0;
}

}  // namespace howdah::rpc::streams
