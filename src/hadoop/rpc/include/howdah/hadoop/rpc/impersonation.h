// Refusals of Hadoop's servers to a user that acts for another one.
#pragma once

#include <string>

namespace howdah::hadoop::rpc {

// Returns a clause that names the keys with which a server allows it: "; the administrators of the cluster can allow it
// with PREFIX.USER.hosts and ...". Empty if the server refused something else. message: of
// org.apache.hadoop.security.authorize.DefaultImpersonationProvider. prefix, file: of the keys of this server.
std::string ImpersonationRemedy(const std::string& message, const std::string& prefix, const std::string& file);

}  // namespace howdah::hadoop::rpc
