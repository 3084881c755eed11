#include "feed_token.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "howdah/base/text.h"

namespace howdah::am {

std::string FeedToken(const rpc::Identity& am, const std::string& feed) {
  const std::string message = "howdah feed " + feed;
  unsigned char mac[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  const unsigned char* const made =
      HMAC(EVP_sha256(), am.private_key.data(), static_cast<int>(am.private_key.size()),
           reinterpret_cast<const unsigned char*>(message.data()), message.size(), mac, &size);
  return made == nullptr ? "" : Hex(std::string_view(reinterpret_cast<const char*>(mac), size));
}

}  // namespace howdah::am
