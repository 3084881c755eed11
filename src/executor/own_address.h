// The address at which other machines reach this one.
#pragma once

#include <string>

#include "howdah/base/result.h"

namespace howdah::executor {

// The source address of packets from this machine to `peer` ("10.0.0.7:40123", "[fd00::7]:40123"): numeric, without
// port. Nothing is sent.
Result<std::string> OwnAddressTowards(const std::string& peer);

// The network interface ("eth0") that has the address, or else one with a network that contains it (127.0.0.7: "lo");
// empty: none.
std::string InterfaceOf(const std::string& address);

}  // namespace howdah::executor
