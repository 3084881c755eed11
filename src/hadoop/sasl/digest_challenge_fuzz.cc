// Parses the input as a challenge of DIGEST-MD5.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "howdah/hadoop/sasl/digest_challenge.h"

namespace howdah::hadoop::sasl {

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static_cast<void>(ParseDigestChallenge({reinterpret_cast<const char*>(data), size}));
  return 0;
}

}  // namespace howdah::hadoop::sasl
