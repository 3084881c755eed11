// The name lookup behind Resolve, with options for tests and for cancellation.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "howdah/base/host_port.h"
#include "howdah/base/result.h"
#include "howdah/base/time.h"
#include "howdah/os/net/address.h"

namespace howdah::os::net {

struct DnsOptions {
  std::string servers;  // "127.0.0.1:5353,..."; if empty, the servers of /etc/resolv.conf
  int cancel_fd = -1;   // once this descriptor is readable, the lookup ends with kTimeout
};

// Answers that need no lookup: an IP address resolves to itself, "localhost" to 127.0.0.1 and ::1. Returns nullopt if a
// lookup is needed.
std::optional<std::vector<SocketAddress>> KnownAddresses(const HostPort& where);

// Queries /etc/hosts, then the DNS servers.
Result<std::vector<SocketAddress>> AskDns(const HostPort& where, Duration limit, const DnsOptions& options);

// Queries the DNS servers for the SRV records of a name; see FindServices.
Result<std::vector<HostPort>> AskForServices(const std::string& name, Duration limit, const DnsOptions& options);

// Queries /etc/hosts, then the DNS servers, for the name of an address; see NameOf.
Result<std::string> AskForName(const SocketAddress& address, Duration limit, const DnsOptions& options);

}  // namespace howdah::os::net
