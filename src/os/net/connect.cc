#include "howdah/os/net/connect.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <system_error>

#include "howdah/os/net/resolve.h"
#include "owned_fd.h"

namespace howdah::os::net {
namespace {

using Clock = std::chrono::steady_clock;

Duration Left(Clock::time_point deadline) {
  return std::max(Duration(0), std::chrono::duration_cast<Duration>(deadline - Clock::now()));
}

Status Await(int fd, short events, Duration limit) {
  const auto deadline = Clock::now() + limit;
  for (;;) {
    pollfd polled{fd, events, 0};
    const int wait = static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(Left(deadline)).count());
    const int ready = poll(&polled, 1, wait);
    if (ready > 0) return {};
    if (ready < 0 && errno != EINTR) return Failed("waiting for a socket: " + std::system_category().message(errno));
    if (Clock::now() >= deadline) {
      return Error{ErrorCode::kTimeout, "no data arrived for " + FormatDuration(limit)};
    }
  }
}

// Returns 0 or an errno. ETIMEDOUT means that the limit was reached.
int ConnectTo(const SocketAddress& address, Duration limit, OwnedFd& connected) {
  OwnedFd fd(socket(address.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (fd.get() < 0) return errno;
  PrepareSocket(fd.get());
  if (connect(fd.get(), address.get(), address.size) != 0) {
    if (errno != EINPROGRESS) return errno;
    if (!AwaitWritable(fd.get(), limit)) return ETIMEDOUT;
    int error = 0;
    socklen_t size = sizeof error;
    if (getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &error, &size) != 0) return errno;
    if (error != 0) return error;
  }
  connected = std::move(fd);
  return 0;
}

}  // namespace

void PrepareSocket(int fd) {
  const auto set = [fd](int level, int option, int value) { setsockopt(fd, level, option, &value, sizeof value); };
  set(IPPROTO_TCP, TCP_NODELAY, 1);
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, 30);
  set(IPPROTO_TCP, TCP_KEEPINTVL, 10);
  set(IPPROTO_TCP, TCP_KEEPCNT, 3);
  set(IPPROTO_TCP, TCP_USER_TIMEOUT, 60'000);
}

std::string ConnectFailures::text() const {
  std::string text;
  for (const auto& [why, addresses] : by_reason_) {
    text += (text.empty() ? "(" : "; (") + addresses + "): " + why;
  }
  return text;
}

void ConnectFailures::Add(const SocketAddress& address, int error) {
  const std::string why = error == ETIMEDOUT ? "no answer" : std::system_category().message(error);
  for (auto& [reason, addresses] : by_reason_) {
    if (reason == why) {
      addresses += ", " + address.ip();
      return;
    }
  }
  by_reason_.emplace_back(why, address.ip());
}

Result<int> Connect(const HostPort& where, Duration limit) {
  const auto deadline = Clock::now() + limit;
  const std::string doing = "connecting to " + where.Text();
  auto addresses = Resolve(where, limit);
  if (!addresses) return addresses.error().While(doing);
  ConnectFailures failures;
  bool out_of_time = false;
  for (size_t i = 0; i < addresses->size(); ++i) {
    // Split the remaining time among the remaining addresses, so that an address that drops packets leaves time for the
    // others.
    OwnedFd fd;
    const Duration share = Left(deadline) / static_cast<int64_t>(addresses->size() - i);
    const int error = ConnectTo((*addresses)[i], share, fd);
    if (error == 0) return fd.Release();
    out_of_time = error == ETIMEDOUT;
    failures.Add((*addresses)[i], error);
  }
  return Error{out_of_time ? ErrorCode::kTimeout : ErrorCode::kUnavailable, doing + " " + failures.text()};
}

Status AwaitReadable(int fd, Duration limit) { return Await(fd, POLLIN, limit); }
Status AwaitWritable(int fd, Duration limit) { return Await(fd, POLLOUT, limit); }

Result<SocketAddress> LocalAddress(int fd) {
  SocketAddress address;
  address.size = sizeof address.storage;
  if (getsockname(fd, reinterpret_cast<sockaddr*>(&address.storage), &address.size) != 0) {
    return Failed("reading the local address of a connection: " + std::system_category().message(errno));
  }
  return address;
}

Result<SocketAddress> LocalAddressTowards(const HostPort& where, Duration limit) {
  const std::string doing = "finding the local address for " + where.Text();
  const auto addresses = Resolve(where, limit);
  if (!addresses.ok()) return addresses.error().While(doing);
  const SocketAddress& to = addresses->front();
  // Connect a datagram socket, which makes the kernel choose the route without sending anything.
  const OwnedFd fd(socket(to.storage.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (connect(fd.get(), to.get(), to.size) != 0) {
    return Error{ErrorCode::kUnavailable, doing + ": " + std::system_category().message(errno)};
  }
  return LocalAddress(fd.get());
}

}  // namespace howdah::os::net
