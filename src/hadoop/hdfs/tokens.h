// Delegation tokens.
#pragma once

#include <optional>

#include "howdah/base/time.h"
#include "howdah/hadoop/conf/services.h"
#include "howdah/hadoop/rpc/token.h"

namespace howdah::hadoop::hdfs {

// Finds the HDFS_DELEGATION_TOKEN for a file system by its service: "ha-hdfs:ns1" for a name service, otherwise the
// NameNode's "address:port" or "name:port" (hadoop.security.token.service.use_ip), for which the name is resolved, at
// most for `limit`. nullopt: none.
std::optional<hadoop::rpc::Token> TokenOf(const hadoop::conf::FileSystemAddress& address,
                                          const hadoop::rpc::Credentials& credentials, Duration limit);

}  // namespace howdah::hadoop::hdfs
