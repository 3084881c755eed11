// Resolves host names with /etc/hosts and the servers of /etc/resolv.conf (c-ares), without the name service modules of
// the machine, which a static program cannot load.
#pragma once

#include <vector>

#include "howdah/base/host_port.h"
#include "howdah/base/result.h"
#include "howdah/base/time.h"
#include "howdah/os/net/address.h"

namespace howdah::os::net {

// Returns all addresses of the host, IPv4 first; an IP address resolves to itself. Blocks until the answer, at most for
// the limit. kNotFound: no such name; kTimeout: no server answered. Thread-safe.
Result<std::vector<SocketAddress>> Resolve(const HostPort& where, Duration limit);

}  // namespace howdah::os::net
