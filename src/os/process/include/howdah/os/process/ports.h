// Reserves the port of a task: chosen early, announced to all other tasks, bound much later by the user's own server.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/os/files/fd.h"

namespace howdah::os::process {

// A TCP port that no other program gets by chance while this object lives:
// - The port lies outside the range the kernel uses for bind(0) and outgoing connections, and outside the ports
//   reserved by the administrator.
// - Other reservations in this network namespace skip it: an abstract Unix socket is the lock, and the kernel frees it
//   when the process ends.
// - While held, a bound socket with SO_REUSEADDR that does not listen blocks servers that do not set SO_REUSEADDR; a
//   server that sets it can bind and listen.
// Where the kernel's range leaves no room, the port comes from bind(0), and only the second and third protection apply.
class PortReservation {
 public:
  static Result<PortReservation> Reserve();

  uint16_t port() const { return port_; }
  // Lets servers bind that do not set SO_REUSEADDR. The reservation stays.
  void StopHolding() { held_ = files::Fd(); }
  // Blocks such servers again. An error: another process has the port (see FindListener), or a server without
  // SO_REUSEADDR has left connections behind, which the kernel removes within a minute. The reservation stays.
  Status Hold();
  bool holding() const { return held_.valid(); }

 private:
  PortReservation(uint16_t port, files::Fd lock, files::Fd held)
      : port_(port), lock_(std::move(lock)), held_(std::move(held)) {}
  uint16_t port_ = 0;
  files::Fd lock_;
  files::Fd held_;
};

// A port range of /proc/sys/net/ipv4/ip_local_*: "32768\t60999", or one element of "8080,9000-9010".
struct PortRange {
  uint16_t first = 0, last = 0;
  bool Has(uint16_t port) const { return first <= port && port <= last; }
};
// The ports a reservation may choose from, in ascending order.
std::vector<uint16_t> ChoosablePorts(const PortRange& ephemeral, const std::vector<PortRange>& reserved);
std::vector<PortRange> ParsePortRanges(std::string_view text);

// The process that listens on a TCP port: "nginx (pid 812)". Empty: a process of another user, which is not visible.
// nullopt: none.
std::optional<std::string> FindListener(uint16_t port);

}  // namespace howdah::os::process
