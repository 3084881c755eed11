// Which address of this machine others reach it at.
#pragma once

#include <string>

#include "howdah/base/result.h"

namespace howdah::executor {

// The address that packets from here to `peer` ("10.0.0.7:40123", "[fd00::7]:40123") carry: a numeric address without
// port. Nothing is sent.
Result<std::string> OwnAddressTowards(const std::string& peer);

// The network interface that has the address, or whose network it is in ("eth0"; for 127.0.0.7 "lo"); empty: none.
std::string InterfaceOf(const std::string& address);

}  // namespace howdah::executor
