// Parses the first challenge of DIGEST-MD5 (RFC 2831, 2.1.1).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "howdah/base/result.h"

namespace howdah::hadoop::rpc {

struct DigestChallenge {
  std::string realm, nonce;       // realm: the first one if there are several; empty if there is none
  std::vector<std::string> qops;  // {"auth"} if the server does not list any
  std::vector<std::string> ciphers;
  uint32_t max_buffer = 65536;  // the largest record that the server accepts
};

// Accepts any bytes.
Result<DigestChallenge> ParseDigestChallenge(std::string_view text);

// The value of `name` in a list of directives (`rspauth=...`). Returns "" if it is not found or the list is malformed.
std::string FindDirective(std::string_view text, std::string_view name);

}  // namespace howdah::hadoop::rpc
