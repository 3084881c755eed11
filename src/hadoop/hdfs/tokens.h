// Selects delegation tokens.
#pragma once

#include <optional>
#include <string>

#include "howdah/base/time.h"
#include "howdah/hadoop/conf/services.h"
#include "howdah/hadoop/rpc/client_options.h"
#include "howdah/hadoop/rpc/token.h"

namespace howdah::hadoop::hdfs {

// Finds the HDFS_DELEGATION_TOKEN of a file system. A token identifies its file system by the token's service:
// "ha-hdfs:ns1" for a name service, otherwise the NameNode's "address:port" or "name:port"
// (hadoop.security.token.service.use_ip). For "address:port" the name is resolved, for at most `limit`. Returns nullopt
// if the credentials lack this token.
std::optional<hadoop::rpc::Token> TokenOf(const hadoop::conf::FileSystemAddress& address,
                                          const hadoop::rpc::Credentials& credentials, Duration limit);

// The service that a token of the file system gets: as TokenOf looks it up, and as Java does.
Result<std::string> ServiceOf(const hadoop::conf::Configuration& configuration,
                              const hadoop::conf::FileSystemAddress& address, Duration limit);

// Returns the login with the token, with Kerberos if `kerberos` is set, or else as `user`. The configuration supplies
// the principal of the NameNode and the protection. A login with a token or Kerberos contains the user name only if
// MayFallBackToSimple is true. Without the name, the client refuses servers that require no authentication.
Result<hadoop::rpc::Login> LoginOf(const hadoop::conf::Configuration& configuration, const std::string& user,
                                   std::optional<hadoop::rpc::Token> token,
                                   std::optional<hadoop::rpc::KerberosLogin> kerberos);

}  // namespace howdah::hadoop::hdfs
