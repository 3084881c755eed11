// The text by which a delegation token names its server.
#pragma once

#include <string>

#include "howdah/base/host_port.h"
#include "howdah/base/result.h"
#include "howdah/base/time.h"

namespace howdah::hadoop::rpc {

// "10.0.0.7:8020", or "nn.example.com:8020" if hadoop.security.token.service.use_ip is false: Java's readers look
// tokens up by this text (org.apache.hadoop.security.SecurityUtil.buildTokenService). Resolves the name, for at most
// `limit`.
Result<std::string> TokenService(const HostPort& server, bool use_ip, Duration limit);

}  // namespace howdah::hadoop::rpc
