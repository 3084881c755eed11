// The secret with which sources identify themselves at the Flight servers of executors.
#pragma once

#include <string>

#include "howdah/rpc/identity.h"

namespace howdah::am {

// Returns the feed's token: HMAC-SHA256(private key of the AM, "howdah feed NAME") as lower-case hexadecimal digits. It
// depends on nothing else, so every AM attempt of the job computes the same token, and none is stored. Executors
// receive it in FeedReaders, and the owner of the job by `howdah feed --address`. Returns "", which no Flight server
// accepts, if libcrypto fails.
std::string FeedToken(const rpc::Identity& am, const std::string& feed);

}  // namespace howdah::am
