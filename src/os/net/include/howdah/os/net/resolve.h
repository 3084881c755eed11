// Resolves host names with /etc/hosts and the servers in /etc/resolv.conf, through c-ares. The machine's name service
// modules (nsswitch.conf) are not used, because a static program cannot load them.
#pragma once

#include <vector>

#include "howdah/base/host_port.h"
#include "howdah/base/result.h"
#include "howdah/base/time.h"
#include "howdah/os/net/address.h"

namespace howdah::os::net {

// Returns all addresses of the host, IPv4 first. An IP address resolves to itself. Blocks until the answer or the
// limit. Returns kNotFound if there is no such name, and kTimeout if no server answered. Thread-safe.
Result<std::vector<SocketAddress>> Resolve(const HostPort& where, Duration limit);

}  // namespace howdah::os::net
