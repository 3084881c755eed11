// Resolve for event loops: a separate thread does the lookup, and a file descriptor signals its end.
#pragma once

#include <memory>
#include <vector>

#include "howdah/base/host_port.h"
#include "howdah/base/result.h"
#include "howdah/base/time.h"
#include "howdah/os/net/address.h"

namespace howdah::os::net {

// One lookup, started by the constructor. IP addresses and "localhost" are answered without a thread.
class Lookup {
 public:
  Lookup(const HostPort& where, Duration limit);
  // Cancels a pending lookup without delay: its thread sleeps in poll() and is woken.
  ~Lookup();
  Lookup(const Lookup&) = delete;
  Lookup& operator=(const Lookup&) = delete;

  // Readable (for poll) once the result is available; -1: it is available already. Owned by this object; do not read
  // from it.
  int fd() const;
  // Returns the result, as Resolve does; blocks until it is available, at most for the limit. Call once.
  Result<std::vector<SocketAddress>> Take();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace howdah::os::net
