// Fetches the delegation tokens with which the containers of a job use the cluster, because they have no ticket.
#pragma once

#include "howdah/backend/yarn/hadoop_client.h"
#include "howdah/base/result.h"
#include "howdah/hadoop/rpc/token.h"

namespace howdah::backend::yarn::client {

// A token of the default file system and one of the ResourceManager, which renews both. The aliases are their services,
// as Java's clients write them: the ResourceManager replaces a token that expires by its alias. Needs a ticket
// (cluster.kerberos()). Blocks as calls do.
Result<hadoop::rpc::Credentials> FetchJobTokens(HadoopClient& cluster);

}  // namespace howdah::backend::yarn::client
