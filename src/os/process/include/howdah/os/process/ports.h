// The port a task is reached at: chosen early, announced to all other tasks, bound much later by the user's own server.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/os/files/fd.h"

namespace howdah::os::process {

// A TCP port that nobody gets by chance, as long as this lives:
//  - it lies outside the range the kernel gives bind(0) and outgoing connections (and is not one the administrator
//  reserved),
//  - other reservations of this machine (of its network namespace) leave it alone: an abstract Unix socket is its lock,
//  which
//    the kernel frees on any death,
//  - while held, a socket that is bound with SO_REUSEADDR and does not listen keeps off everybody who does not set it;
//  a
//    server that sets it binds and listens over ours.
// Where the kernel's range leaves no room, the port is taken from bind(0) and rests on the second and third alone.
class PortReservation {
 public:
  static Result<PortReservation> Reserve();

  uint16_t port() const { return port_; }
  // Lets servers have it that do not set SO_REUSEADDR. The reservation itself stays.
  void LetGo() { held_ = files::Fd(); }
  // Takes it again. An error: somebody has it (see WhoListens), or a server that did not set SO_REUSEADDR has left
  // connections behind that the kernel forgets within a minute; the reservation itself still stands.
  Status Hold();
  bool holding() const { return held_.valid(); }

 private:
  PortReservation(uint16_t port, files::Fd lock, files::Fd held)
      : port_(port), lock_(std::move(lock)), held_(std::move(held)) {}
  uint16_t port_ = 0;
  files::Fd lock_;
  files::Fd held_;
};

// The kernel's own range, "32768\t60999", and its exceptions, "8080,9000-9010", as in /proc/sys/net/ipv4/ip_local_*.
struct PortRange {
  uint16_t first = 0, last = 0;
  bool Has(uint16_t port) const { return first <= port && port <= last; }
};
// The ports a reservation may choose from, ascending.
std::vector<uint16_t> ChoosablePorts(const PortRange& ephemeral, const std::vector<PortRange>& reserved);
std::vector<PortRange> ParsePortRanges(std::string_view text);

// Who listens on a TCP port: "nginx (pid 812)"; empty: somebody whose processes are not visible to us; nullopt: nobody.
std::optional<std::string> WhoListens(uint16_t port);

}  // namespace howdah::os::process
