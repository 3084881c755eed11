#include "howdah/hadoop/rpc/token_service.h"

#include "howdah/base/text.h"
#include "howdah/os/net/resolve.h"

namespace howdah::hadoop::rpc {

Result<std::string> TokenService(const HostPort& server, bool use_ip, Duration limit) {
  if (!use_ip) return HostPort{LowerCase(server.host), server.port}.Text();
  HOWDAH_TRY(const auto addresses, os::net::Resolve(server, limit));
  if (addresses.empty()) return Error{ErrorCode::kUnavailable, server.Text() + " has no address"};
  return HostPort{addresses.front().ip(), addresses.front().port()}.Text();
}

}  // namespace howdah::hadoop::rpc
