// The message authentication code that Howdah uses.
#pragma once

#include <string>
#include <string_view>

namespace howdah::rpc::callback {

// HMAC-SHA256 (RFC 2104): 32 bytes. Returns "" if libcrypto fails. Thread-safe.
std::string HmacSha256(std::string_view key, std::string_view message);

}  // namespace howdah::rpc::callback
