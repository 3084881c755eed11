#include "howdah/rpc/callback/hmac.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

namespace howdah::rpc::callback {

std::string HmacSha256(std::string_view key, std::string_view message) {
  unsigned char mac[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  const auto* const bytes = reinterpret_cast<const unsigned char*>(message.data());
  if (HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), bytes, message.size(), mac, &size) == nullptr) {
    return "";
  }
  return {reinterpret_cast<const char*>(mac), size};
}

}  // namespace howdah::rpc::callback
