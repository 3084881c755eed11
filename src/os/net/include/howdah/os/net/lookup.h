// An asynchronous Resolve for event loops. A separate thread does the lookup; a file descriptor becomes readable when
// the lookup is done.
#pragma once

#include <memory>
#include <vector>

#include "howdah/base/host_port.h"
#include "howdah/base/result.h"
#include "howdah/base/time.h"
#include "howdah/os/net/address.h"

namespace howdah::os::net {

// One lookup, started by the constructor. IP addresses and "localhost" are resolved without a thread.
class Lookup {
 public:
  Lookup(const HostPort& where, Duration limit);
  // Cancels a pending lookup without waiting for its time limit.
  ~Lookup();
  Lookup(const Lookup&) = delete;
  Lookup& operator=(const Lookup&) = delete;

  // A descriptor that becomes readable (for poll) when the result is available, or -1 if the result is available from
  // the start. This object owns the descriptor; do not read from it.
  int fd() const;
  // Returns the result, as Resolve does. Blocks until the result is available or the limit is reached. Call it once.
  Result<std::vector<SocketAddress>> Take();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace howdah::os::net
