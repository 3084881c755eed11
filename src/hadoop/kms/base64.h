// Base64 in both alphabets (RFC 4648).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace howdah::hadoop::kms {

// The alphabet for URLs, without padding.
std::string EncodeUrlBase64(std::string_view bytes);
// Accepts both alphabets, with and without padding. Returns nullopt for any other text.
std::optional<std::string> DecodeBase64(std::string_view text);

}  // namespace howdah::hadoop::kms
