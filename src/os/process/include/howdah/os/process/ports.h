// Reserves the port of a task. The port is chosen early, because all other tasks must learn it, but the user's own
// server binds it much later.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/os/files/fd.h"

namespace howdah::os::process {

// A TCP port that no other program gets by chance while this object exists. Three protections:
// - The port lies outside the range that the kernel uses for bind(0) and outgoing connections, and outside the ports
//   reserved by the administrator.
// - Other reservations in this network namespace do not choose it. The lock is an abstract Unix socket, which the
//   kernel frees when the process ends.
// - While the reservation holds the port, it keeps a bound socket with SO_REUSEADDR that does not listen. This socket
//   blocks servers that do not set SO_REUSEADDR. A server that sets it can bind and listen.
// If the kernel's range leaves too few ports, the port comes from bind(0), and the first protection does not apply.
class PortReservation {
 public:
  static Result<PortReservation> Reserve();

  uint16_t port() const { return port_; }
  // Allows servers that do not set SO_REUSEADDR to bind the port. The reservation stays.
  void StopHolding() { held_ = files::Fd(); }
  // Blocks such servers again. Returns an error if another process has the port (see FindListener), or if a server
  // without SO_REUSEADDR has left connections behind, which the kernel removes within a minute. Even then the
  // reservation stays.
  Status Hold();
  bool holding() const { return held_.valid(); }

 private:
  PortReservation(uint16_t port, files::Fd lock, files::Fd held)
      : port_(port), lock_(std::move(lock)), held_(std::move(held)) {}
  uint16_t port_ = 0;
  files::Fd lock_;
  files::Fd held_;
};

// A port range of /proc/sys/net/ipv4/ip_local_*, such as "32768\t60999" or one element of "8080,9000-9010".
struct PortRange {
  uint16_t first = 0, last = 0;
  bool Has(uint16_t port) const { return first <= port && port <= last; }
};
// The ports that a reservation may choose from, in ascending order.
std::vector<uint16_t> ChoosablePorts(const PortRange& ephemeral, const std::vector<PortRange>& reserved);
// Skips ranges that are not ascending, and numbers above 65535.
std::vector<PortRange> ParsePortRanges(std::string_view text);

// Returns the inodes of the sockets that listen on a port, from the text of /proc/net/tcp or /proc/net/tcp6.
std::set<std::string> ListeningInodes(std::string_view table, uint16_t port);

// Returns the process that listens on a TCP port, such as "nginx (pid 812)". Returns "" if the process belongs to
// another user and is therefore not visible, and nullopt if no process listens.
std::optional<std::string> FindListener(uint16_t port);

}  // namespace howdah::os::process
