// Parses the input as a token file, and as identifiers of tokens.
#include <cstddef>
#include <cstdint>
#include <string>

#include "howdah/hadoop/rpc/token.h"
#include "howdah/hadoop/rpc/token_identifier.h"

namespace howdah::hadoop::rpc {

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (const auto credentials = ParseCredentials(text); credentials.ok()) {
    if (!ParseCredentials(WriteCredentials(*credentials)).ok()) __builtin_trap();
  }
  for (const char* kind : {kHdfsToken, kRmToken}) {
    static_cast<void>(ParseTokenIdentifier({.identifier = text, .password = "", .kind = kind, .service = ""}));
  }
  return 0;
}

}  // namespace howdah::hadoop::rpc
