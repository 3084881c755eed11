// Names to addresses, without the machine's name service modules: a static program cannot load them. Asks /etc/hosts
// and the servers of /etc/resolv.conf (c-ares).
#pragma once

#include <vector>

#include "howdah/base/result.h"
#include "howdah/base/time.h"
#include "howdah/os/net/address.h"

namespace howdah::os::net {

// Every address of the host, IPv4 first; a host that is a number is itself. Blocks until the answer or the limit.
// kNotFound: no such name; kTimeout: no server answered. Callable from any thread.
Result<std::vector<SocketAddress>> Resolve(const HostPort& where, Duration limit);

}  // namespace howdah::os::net
