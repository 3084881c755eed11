// TCP connections with a time limit. All functions are thread-safe.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "howdah/base/host_port.h"
#include "howdah/base/result.h"
#include "howdah/base/time.h"
#include "howdah/os/net/address.h"

namespace howdah::os::net {

// Resolves the host and tries each address in turn. Every call resolves the host again, because services move. The
// caller owns the returned socket, which is non-blocking and close-on-exec, with TCP_NODELAY and keep-alive. Returns
// kUnavailable if no address accepted the connection ("connecting to rm1:8032 (10.0.0.7): Connection refused"), and
// kTimeout if the limit was reached.
Result<int> Connect(const HostPort& where, Duration limit);

// Block until the socket is readable or writable. Return kTimeout after the limit.
Status AwaitReadable(int fd, Duration limit);
Status AwaitWritable(int fd, Duration limit);

// The local address of a connected socket, as the peer sees it.
Result<SocketAddress> LocalAddress(int fd);

// Sets the options of all our connections on a socket that was created elsewhere: TCP_NODELAY, a keep-alive that
// detects a vanished peer within a minute, and the same limit for unacknowledged data. Failures are ignored.
void PrepareSocket(int fd);

// Collects the failures of a host's addresses for one message:
// "(10.0.0.7, 10.0.0.8): Connection refused; (10.1.0.7): no answer".
class ConnectFailures {
 public:
  void Add(const SocketAddress& address, int error);  // error: an errno; ETIMEDOUT if the limit was reached
  std::string text() const;

 private:
  std::vector<std::pair<std::string, std::string>> by_reason_;  // pairs of reason and addresses
};

// Returns the local address that this machine would use to reach the host, without sending anything. Errors:
// kUnavailable if there is no route to the host, and the errors of Resolve.
Result<SocketAddress> LocalAddressTowards(const HostPort& where, Duration limit);

}  // namespace howdah::os::net
