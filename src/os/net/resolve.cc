#include "howdah/os/net/resolve.h"

#include "dns.h"

namespace howdah::os::net {

Result<std::vector<SocketAddress>> Resolve(const HostPort& where, Duration limit) {
  if (auto known = KnownAddresses(where)) return *std::move(known);
  return AskDns(where, limit, {});
}

}  // namespace howdah::os::net
