#include "howdah/os/net/resolve.h"

#include "dns.h"

namespace howdah::os::net {

Result<std::vector<SocketAddress>> Resolve(const HostPort& where, Duration limit) {
  if (auto known = KnownAddresses(where)) return *std::move(known);
  return AskDns(where, limit, {});
}

Result<std::vector<HostPort>> FindServices(const std::string& name, Duration limit, int cancel_fd) {
  return AskForServices(name, limit, {.cancel_fd = cancel_fd});
}

Result<std::string> NameOf(const SocketAddress& address, Duration limit, int cancel_fd) {
  return AskForName(address, limit, {.cancel_fd = cancel_fd});
}

}  // namespace howdah::os::net
