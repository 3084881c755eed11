// The first challenge of DIGEST-MD5, read (RFC 2831, 2.1.1).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "howdah/base/result.h"

namespace howdah::hadoop::rpc {

struct DigestChallenge {
  std::string realm, nonce;       // realm: the first of several; empty: none
  std::vector<std::string> qops;  // "auth" if the server says nothing
  std::vector<std::string> ciphers;
  uint32_t max_buffer = 65536;  // how much the server takes in one record
};

// Any bytes are safe to give.
Result<DigestChallenge> ParseDigestChallenge(std::string_view text);

// The value of `name` in a list of directives (`rspauth=...`); empty: it is not there, or the list is malformed.
std::string FindDirective(std::string_view text, std::string_view name);

}  // namespace howdah::hadoop::rpc
