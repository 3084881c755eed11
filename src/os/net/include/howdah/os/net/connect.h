// A TCP connection with a limit on how long it takes to make.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/base/time.h"
#include "howdah/os/net/address.h"

namespace howdah::os::net {

// Resolves (anew each time: services move) and tries each address in turn. The socket is non-blocking, close-on-exec,
// with TCP_NODELAY and keep-alive; owned by the caller. kUnavailable: nobody answers there ("connecting to rm1:8032
// (10.0.0.7): Connection refused"); kTimeout: the limit ran out.
Result<int> Connect(const HostPort& where, Duration limit);

// Blocks until the socket can be read (or written) or the limit has passed: kTimeout.
Status AwaitReadable(int fd, Duration limit);
Status AwaitWritable(int fd, Duration limit);

// The local address of a connected socket: where the other side sees us.
Result<SocketAddress> LocalAddress(int fd);

// What every connection of ours has: TCP_NODELAY, keep-alive that notices a vanished peer within a minute, and the same
// minute for bytes that are never acknowledged. For sockets made elsewhere; failures do not matter.
void PrepareSocket(int fd);

// How the addresses of one host failed, for one message: "(10.0.0.7, 10.0.0.8): Connection refused; (10.1.0.7): no
// answer".
class ConnectFailures {
 public:
  void Add(const SocketAddress& address, int error);  // an errno; ETIMEDOUT: the limit ran out
  std::string text() const;

 private:
  std::vector<std::pair<std::string, std::string>> by_reason_;  // reason, addresses
};

// The address that this machine has towards a host: where the host would see it. Nothing is sent. kUnavailable: there
// is no route; otherwise as Resolve.
Result<SocketAddress> LocalAddressTowards(const HostPort& where, Duration limit);

}  // namespace howdah::os::net
