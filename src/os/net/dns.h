// The look-up behind Resolve, with what a test or a cancelling thread needs of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/base/time.h"
#include "howdah/os/net/address.h"

namespace howdah::os::net {

struct DnsOptions {
  std::string servers;  // "127.0.0.1:5353,..."; empty: those of /etc/resolv.conf
  int cancel_fd = -1;   // the look-up ends (kTimeout) as soon as this is readable
};

// What needs no look-up: a number is itself, "localhost" is 127.0.0.1 and ::1.
std::optional<std::vector<SocketAddress>> KnownAddresses(const HostPort& where);

// /etc/hosts, then the DNS servers.
Result<std::vector<SocketAddress>> AskDns(const HostPort& where, Duration limit, const DnsOptions& options);

}  // namespace howdah::os::net
