// The two lines of a callback, version 1. The executor sends the first line as soon as the AM has connected:
//
//   howdah-callback 1 NONCE\n
//   howdah-callback 1 ADDRESS MAC\n
//
// NONCE: 32 hexadecimal digits, new for each connection. ADDRESS: the AM's, "10.0.0.7:40123". MAC: 64 hexadecimal
// digits, HMAC-SHA256(secret, "howdah-callback 1 NONCE ADDRESS"). The secret itself is never sent, and a recorded line
// is useless on any other connection.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace howdah::rpc::callback {

constexpr size_t kLongestLine = 256;

// Returns 32 random hexadecimal digits, or none if the system returned no random bytes.
std::optional<std::string> RandomHex();

std::string ChallengeLine(std::string_view nonce);
// Returns the nonce. line: without its newline.
std::optional<std::string> ParseChallenge(std::string_view line);

std::string CallLine(std::string_view secret, std::string_view nonce, std::string_view am_address);
// Returns the AM's address if the line was made with the secret for this nonce. line: without its newline.
std::optional<std::string> ParseCall(std::string_view secret, std::string_view nonce, std::string_view line);

}  // namespace howdah::rpc::callback
