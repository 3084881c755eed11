// Parses the first challenge of DIGEST-MD5 (RFC 2831, 2.1.1).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "howdah/base/result.h"

namespace howdah::hadoop::sasl {

struct DigestChallenge {
  std::string realm, nonce;       // realm: the first one that the server lists; may be empty
  std::vector<std::string> qops;  // {"auth"} if the server lists none
  std::vector<std::string> ciphers;
  uint32_t max_buffer = 65536;  // size of the largest record that the server accepts
};

// Any bytes are safe.
Result<DigestChallenge> ParseDigestChallenge(std::string_view text);

// The value of `name` in a list of directives (`rspauth=...`). Returns "" if the list does not contain it or is
// malformed.
std::string FindDirective(std::string_view text, std::string_view name);

}  // namespace howdah::hadoop::sasl
