// Fuzzed input: a line that a stranger sends to the callback port.
#include <cstddef>
#include <cstdint>
#include <string>

#include "protocol.h"

namespace howdah::rpc::callback {

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto nonce = ParseChallenge(text);
  if (nonce && ChallengeLine(*nonce) != text + "\n") __builtin_trap();
  // A call that was made without the secret must never be accepted.
  if (ParseCall("secret", "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff", text)) __builtin_trap();
  return 0;
}

}  // namespace howdah::rpc::callback
