// Delegation tokens.
#pragma once

#include <optional>

#include "howdah/base/time.h"
#include "howdah/hadoopconf/services.h"
#include "howdah/hadooprpc/token.h"

namespace howdah::hdfs {

// The HDFS_DELEGATION_TOKEN for a file system, by the service that Hadoop writes into it: "ha-hdfs:ns1" of a name
// service, else the NameNode's "address:port" or "name:port" (hadoop.security.token.service.use_ip), for which its name
// may be resolved, at most for `limit`. nullopt: there is none for it.
std::optional<hadooprpc::Token> TokenOf(const hadoopconf::FileSystemAddress& address,
                                        const hadooprpc::Credentials& credentials, Duration limit);

}  // namespace howdah::hdfs
