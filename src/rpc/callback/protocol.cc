#include "protocol.h"

#include <openssl/crypto.h>
#include <sys/random.h>

#include <algorithm>

#include "howdah/base/text.h"
#include "howdah/rpc/callback/hmac.h"

namespace howdah::rpc::callback {
namespace {

constexpr std::string_view kPrefix = "howdah-callback 1 ";
constexpr size_t kRandomBytes = 16;

// Returns no text if libcrypto fails.
std::string Mac(std::string_view secret, std::string_view nonce, std::string_view am_address) {
  std::string message(kPrefix);
  message.append(nonce).append(" ").append(am_address);
  return Hex(HmacSha256(secret, message));
}

bool EqualInConstantTime(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace

std::optional<std::string> RandomHex() {
  std::string bytes(kRandomBytes, '\0');
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) return std::nullopt;
  return Hex(bytes);
}

std::string ChallengeLine(std::string_view nonce) { return std::string(kPrefix).append(nonce).append("\n"); }

std::optional<std::string> ParseChallenge(std::string_view line) {
  if (!line.starts_with(kPrefix)) return std::nullopt;
  const std::string_view nonce = line.substr(kPrefix.size());
  const auto is_hex = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  if (nonce.size() != 2 * kRandomBytes || !std::all_of(nonce.begin(), nonce.end(), is_hex)) return std::nullopt;
  return std::string(nonce);
}

std::string CallLine(std::string_view secret, std::string_view nonce, std::string_view am_address) {
  return std::string(kPrefix).append(am_address).append(" ").append(Mac(secret, nonce, am_address)).append("\n");
}

std::optional<std::string> ParseCall(std::string_view secret, std::string_view nonce, std::string_view line) {
  if (!line.starts_with(kPrefix)) return std::nullopt;
  const std::string_view rest = line.substr(kPrefix.size());
  const size_t space = rest.find(' ');
  if (space == 0 || space == std::string_view::npos) return std::nullopt;
  const std::string_view am_address = rest.substr(0, space);
  const std::string expected = Mac(secret, nonce, am_address);
  if (expected.empty() || !EqualInConstantTime(rest.substr(space + 1), expected)) return std::nullopt;
  return std::string(am_address);
}

}  // namespace howdah::rpc::callback
