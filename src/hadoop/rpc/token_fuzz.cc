// Parses the input as a token file and as a challenge of DIGEST-MD5.
#include <cstddef>
#include <cstdint>
#include <string>

#include "digest_challenge.h"
#include "howdah/hadoop/rpc/token.h"

namespace howdah::hadoop::rpc {

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (const auto credentials = ParseCredentials(text); credentials.ok()) {
    if (!ParseCredentials(WriteCredentials(*credentials)).ok()) __builtin_trap();
  }
  static_cast<void>(ParseDigestChallenge(text));
  return 0;
}

}  // namespace howdah::hadoop::rpc
