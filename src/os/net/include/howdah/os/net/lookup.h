// Resolve for event loops: the look-up runs on a thread of its own and a file descriptor tells when it is done.
#pragma once

#include <memory>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/base/time.h"
#include "howdah/os/net/address.h"

namespace howdah::os::net {

// One look-up, begun by the constructor. Numbers and "localhost" are answered without a thread.
class Lookup {
 public:
  Lookup(const HostPort& where, Duration limit);
  // Ends a look-up that is still going on at once: its thread sleeps in poll() and is woken.
  ~Lookup();
  Lookup(const Lookup&) = delete;
  Lookup& operator=(const Lookup&) = delete;

  // Readable (for poll) once the answer is there; -1: it already is. Owned by this object; do not read from it.
  int fd() const;
  // As Resolve's; blocks until the answer, at most the limit. Once.
  Result<std::vector<SocketAddress>> Take();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace howdah::os::net
