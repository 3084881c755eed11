// Delegation tokens.
#pragma once

#include <optional>

#include "howdah/base/time.h"
#include "howdah/hadoop/conf/services.h"
#include "howdah/hadoop/rpc/token.h"

namespace howdah::hadoop::hdfs {

// The HDFS_DELEGATION_TOKEN for a file system, by the service that Hadoop writes into it: "ha-hdfs:ns1" of a name
// service, else the NameNode's "address:port" or "name:port" (hadoop.security.token.service.use_ip), for which its name
// may be resolved, at most for `limit`. nullopt: there is none for it.
std::optional<hadoop::rpc::Token> TokenOf(const hadoop::conf::FileSystemAddress& address,
                                          const hadoop::rpc::Credentials& credentials, Duration limit);

}  // namespace howdah::hadoop::hdfs
