// The address at which other machines reach this one.
#pragma once

#include <string>

#include "howdah/base/result.h"

namespace howdah::executor {

// Returns the source address of packets from this machine to `peer` ("10.0.0.7:40123", "[fd00::7]:40123"), as an IP
// address without port. Sends nothing.
Result<std::string> OwnAddressTowards(const std::string& peer);

// Returns the network interface ("eth0") that has the address. Otherwise returns an interface with a network that
// contains the address ("lo" for 127.0.0.7). Returns an empty string if no interface matches.
std::string InterfaceOf(const std::string& address);

}  // namespace howdah::executor
