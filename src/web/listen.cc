#include "listen.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>

#include "howdah/base/host_port.h"
#include "howdah/os/net/address.h"

namespace howdah::web {
namespace {

using os::files::Fd;
using os::files::SystemError;
using os::net::SocketAddress;

constexpr int kBacklog = 1024;
constexpr std::string_view kUnixScheme = "unix:";

Error InUse(const std::string& address) {
  return Error::WithRemedy(ErrorCode::kUnavailable, "listening on " + address + ": it is in use by another program",
                           "choose another address, or stop that program");
}

Result<SocketAddress> TcpAddress(const Endpoint& endpoint) {
  SocketAddress address;
  auto& v4 = reinterpret_cast<sockaddr_in&>(address.storage);
  if (inet_pton(AF_INET, endpoint.host.c_str(), &v4.sin_addr) == 1) {
    v4.sin_family = AF_INET;
    v4.sin_port = htons(endpoint.port);
    address.size = sizeof v4;
    return address;
  }
  auto& v6 = reinterpret_cast<sockaddr_in6&>(address.storage);
  if (inet_pton(AF_INET6, endpoint.host.c_str(), &v6.sin6_addr) == 1) {
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(endpoint.port);
    address.size = sizeof v6;
    return address;
  }
  return Error::WithRemedy(ErrorCode::kUsage, "'" + endpoint.host + "' is not an IP address",
                           "write an IP address of this machine, as in 127.0.0.1");
}

// Returns 0 or an errno.
int BindAndListen(const SocketAddress& address, Fd& listening) {
  Fd fd(::socket(address.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd.valid()) return errno;
  const int one = 1;
  (void)::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  if (address.storage.ss_family == AF_INET6) {
    (void)::setsockopt(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof one);
  }
  if (::bind(fd.get(), address.get(), address.size) != 0 || ::listen(fd.get(), kBacklog) != 0) return errno;
  listening = std::move(fd);
  return 0;
}

uint16_t PortOf(int fd) {
  SocketAddress address;
  address.size = sizeof address.storage;
  if (::getsockname(fd, reinterpret_cast<sockaddr*>(&address.storage), &address.size) != 0) return 0;
  return address.port();
}

Result<SocketAddress> UnixAddress(const std::string& path) {
  SocketAddress address;
  auto& local = reinterpret_cast<sockaddr_un&>(address.storage);
  if (path.empty() || path.size() >= sizeof local.sun_path) {
    return Error::WithRemedy(ErrorCode::kUsage, "invalid path of a unix socket, '" + path + "'",
                             "choose one of 1 to " + std::to_string(sizeof local.sun_path - 1) + " bytes");
  }
  local.sun_family = AF_UNIX;
  std::memcpy(local.sun_path, path.data(), path.size());
  address.size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size() + 1);
  return address;
}

// Removes the socket of a server that no longer runs.
Status RemoveStaleSocket(const std::string& path, const SocketAddress& address) {
  struct stat file {};
  if (::lstat(path.c_str(), &file) != 0) return errno == ENOENT ? Status() : SystemError("listening on " + path);
  if (!S_ISSOCK(file.st_mode)) {
    return Error::WithRemedy(ErrorCode::kUnavailable, "listening on " + path + ": there is a file that is not a socket",
                             "choose another path");
  }
  const Fd probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (::connect(probe.get(), address.get(), address.size) == 0 || errno != ECONNREFUSED) return InUse(path);
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) return SystemError("removing the old socket " + path);
  return {};
}

std::string IpOf(const SocketAddress& address) {
  std::string ip = address.ip();
  constexpr std::string_view kMapped = "::ffff:";
  if (ip.starts_with(kMapped) && ip.find('.') != std::string::npos) ip.erase(0, kMapped.size());
  return ip;
}

}  // namespace

Result<Endpoint> Endpoint::Parse(std::string_view text) {
  if (text.starts_with(kUnixScheme)) {
    Endpoint endpoint;
    endpoint.unix_path = text.substr(kUnixScheme.size());
    HOWDAH_TRY_STATUS([&]() -> Status {
      const auto address = UnixAddress(endpoint.unix_path);
      return address.ok() ? Status() : Status(address.error());
    }());
    return endpoint;
  }
  HOWDAH_TRY(HostPort parsed, ParseHostPort(text));
  Endpoint endpoint;
  endpoint.host = parsed.host == "localhost" ? "127.0.0.1" : parsed.host;
  endpoint.port = parsed.port;
  const auto address = TcpAddress(endpoint);
  if (!address.ok()) return address.error();
  return endpoint;
}

Result<ListeningSocket> ListeningSocket::Open(const Endpoint& endpoint) {
  return endpoint.unix_path.empty() ? OpenTcp(endpoint) : OpenUnix(endpoint);
}

Result<ListeningSocket> ListeningSocket::OpenTcp(const Endpoint& endpoint) {
  Endpoint actual = endpoint;
  HOWDAH_TRY(SocketAddress address, TcpAddress(actual));
  Fd fd;
  int failed = BindAndListen(address, fd);
  if (failed == EADDRINUSE && endpoint.port_may_change) {
    actual.port = 0;
    HOWDAH_TRY(address, TcpAddress(actual));
    failed = BindAndListen(address, fd);
  }
  const std::string text = HostPort{endpoint.host, endpoint.port}.Text();
  if (failed == EADDRINUSE) return InUse(text);
  if (failed != 0) return SystemError("listening on " + text, failed);
  actual.port = PortOf(fd.get());
  return ListeningSocket(std::move(fd), std::move(actual));
}

Result<ListeningSocket> ListeningSocket::OpenUnix(const Endpoint& endpoint) {
  const std::string& path = endpoint.unix_path;
  HOWDAH_TRY(const SocketAddress address, UnixAddress(path));
  HOWDAH_TRY_STATUS(RemoveStaleSocket(path, address));
  Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd.valid() || ::bind(fd.get(), address.get(), address.size) != 0) return SystemError("listening on " + path);
  ListeningSocket listening(std::move(fd), endpoint);
  // Nobody can connect before listen(), so no one slips in between.
  struct stat file {};
  if (::chmod(path.c_str(), 0600) != 0 || ::lstat(path.c_str(), &file) != 0) return SystemError("listening on " + path);
  listening.inode_ = file.st_ino;
  if (::listen(listening.fd(), kBacklog) != 0) return SystemError("listening on " + path);
  return listening;
}

ListeningSocket::~ListeningSocket() {
  struct stat file {};
  if (!fd_.valid() || endpoint_.unix_path.empty() || ::lstat(endpoint_.unix_path.c_str(), &file) != 0) return;
  if (file.st_ino == inode_) (void)::unlink(endpoint_.unix_path.c_str());
}

Peer IdentifyPeer(int socket, const Endpoint& endpoint, const os::net::PeerUsers& users) {
  Peer peer;
  if (!endpoint.unix_path.empty()) {
    peer.unix_socket = true;
    peer.user = os::net::UserOfUnixSocket(socket);
    return peer;
  }
  SocketAddress theirs, ours;
  theirs.size = ours.size = sizeof theirs.storage;
  if (::getpeername(socket, reinterpret_cast<sockaddr*>(&theirs.storage), &theirs.size) != 0) return peer;
  if (::getsockname(socket, reinterpret_cast<sockaddr*>(&ours.storage), &ours.size) != 0) return peer;
  peer.address = IpOf(theirs);
  if (peer.loopback() || peer.address == IpOf(ours)) peer.user = users.UserOf(socket);
  return peer;
}

}  // namespace howdah::web
