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

// Returns the servers that the SRV records (RFC 2782) of a name such as "_kerberos._tcp.EXAMPLE.COM" list, by
// priority, then by weight. Returns kNotFound if there are none, and kTimeout if no name server answered. Blocks until
// the answer or the limit, or until cancel_fd (-1: none) is readable, which is kTimeout. Thread-safe.
Result<std::vector<HostPort>> FindServices(const std::string& name, Duration limit, int cancel_fd = -1);

// Returns the full name of an address, from /etc/hosts or DNS. Errors and blocking as for FindServices.
Result<std::string> NameOf(const SocketAddress& address, Duration limit, int cancel_fd = -1);

}  // namespace howdah::os::net
