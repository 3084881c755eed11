// Parses the input as the URI of a KMS and as a token in a KMS's answer.
#include <cstddef>
#include <cstdint>
#include <string>

#include "howdah/hadoop/kms/kms_client.h"

namespace howdah::hadoop::kms {

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  static_cast<void>(ParseProvider(text));
  if (const auto token = TokenOfUrlText(text); token && TokenOfUrlText(ToUrlText(*token)) != token) __builtin_trap();
  return 0;
}

}  // namespace howdah::hadoop::kms
