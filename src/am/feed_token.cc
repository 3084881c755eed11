#include "feed_token.h"

#include "howdah/base/text.h"
#include "howdah/rpc/callback/hmac.h"

namespace howdah::am {

std::string FeedToken(const rpc::Identity& am, const std::string& feed) {
  return Hex(rpc::callback::HmacSha256(am.private_key, "howdah feed " + feed));
}

}  // namespace howdah::am
