// Begins a security context on another thread, because this may query DNS and KDCs.
#pragma once

#include <memory>

#include "howdah/base/host_port.h"
#include "howdah/base/result.h"
#include "howdah/hadoop/kerberos/login.h"
#include "howdah/hadoop/principals/service.h"
#include "howdah/os/net/address.h"

namespace howdah::hadoop::kerberos {

// The server of a connection.
struct Server {
  principals::Advertised advertised;  // its principal, as the server states it
  HostPort where;                     // as configured
  os::net::SocketAddress address;     // to which the connection was made
};

// One request, started by the constructor. Checks that the principal of the server is the one that the policy requires,
// gets a ticket for it, and begins a context. _HOST stands for the configured host, and for the full name of the
// server's address, which is looked up only if the server advertises neither.
class ContextRequest {
 public:
  ContextRequest(std::shared_ptr<Login> login, principals::ServicePolicy policy, Server server);
  // Cancels a pending request without waiting for its time limits.
  ~ContextRequest();
  ContextRequest(const ContextRequest&) = delete;
  ContextRequest& operator=(const ContextRequest&) = delete;

  // A descriptor that becomes readable (for poll) when the result is available. This object owns it; do not read from
  // it. -1 if the request could not be started; Take then returns the error.
  int fd() const;
  // Returns the result. Blocks until it is available. Call it once.
  Result<std::unique_ptr<SecurityContext>> Take();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace howdah::hadoop::kerberos
