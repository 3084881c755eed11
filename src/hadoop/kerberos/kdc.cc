#include "kdc.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "howdah/os/net/lookup.h"
#include "howdah/os/net/resolve.h"

namespace howdah::hadoop::kerberos {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kReplyMax = 1 << 20;  // a KDC's answer has some KiB
constexpr Duration kResend = std::chrono::seconds(1);

enum class Wait { kReady, kTimeout, kCancelled };

// Waits for events on a descriptor until the deadline.
Wait Await(int fd, short events, Clock::time_point deadline, int cancel_fd) {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0) return Wait::kTimeout;
    std::array<pollfd, 2> polled{pollfd{fd, events, 0}, pollfd{cancel_fd, POLLIN, 0}};
    const int ready = poll(polled.data(), cancel_fd >= 0 ? 2 : 1, static_cast<int>(left.count()));
    if (ready < 0 && errno != EINTR) return Wait::kTimeout;
    if (ready <= 0) continue;
    return cancel_fd >= 0 && polled[1].revents != 0 ? Wait::kCancelled : Wait::kReady;
  }
}

class Socket {
 public:
  Socket(const os::net::SocketAddress& address, int type, Clock::time_point deadline, int cancel_fd)
      : fd_(socket(address.storage.ss_family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)),
        deadline_(deadline),
        cancel_fd_(cancel_fd) {}
  ~Socket() {
    if (fd_ >= 0) close(fd_);
  }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  // These functions return 0 or an errno: ETIMEDOUT after the deadline, ECANCELED if cancelled.
  int Connect(const os::net::SocketAddress& address) {
    if (fd_ < 0) return errno;
    if (connect(fd_, address.get(), address.size) == 0) return 0;
    if (errno != EINPROGRESS) return errno;
    if (const int error = Ready(POLLOUT); error != 0) return error;
    int error = 0;
    socklen_t size = sizeof error;
    if (getsockopt(fd_, SOL_SOCKET, SO_ERROR, &error, &size) != 0) return errno;
    return error;
  }
  int SendAll(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent >= 0) {
        bytes.remove_prefix(static_cast<size_t>(sent));
      } else if (errno == EAGAIN || errno == EINTR) {
        if (const int error = Ready(POLLOUT); error != 0) return error;
      } else {
        return errno;
      }
    }
    return 0;
  }
  // Receives exactly `size` bytes; EPIPE if the peer closes the connection before.
  int ReceiveAll(std::string& bytes, size_t size) {
    bytes.resize(size);
    for (size_t have = 0; have < size;) {
      const ssize_t got = recv(fd_, bytes.data() + have, size - have, 0);
      if (got > 0) {
        have += static_cast<size_t>(got);
      } else if (got == 0) {
        return EPIPE;
      } else if (errno == EAGAIN || errno == EINTR) {
        if (const int error = Ready(POLLIN); error != 0) return error;
      } else {
        return errno;
      }
    }
    return 0;
  }
  // Receives one datagram before `until`.
  int ReceiveDatagram(std::string& bytes, Clock::time_point until) {
    const Wait wait = Await(fd_, POLLIN, std::min(until, deadline_), cancel_fd_);
    if (wait != Wait::kReady) return wait == Wait::kTimeout ? ETIMEDOUT : ECANCELED;
    bytes.resize(1 << 16);
    const ssize_t got = recv(fd_, bytes.data(), bytes.size(), 0);
    if (got < 0) return errno == EAGAIN ? ETIMEDOUT : errno;
    bytes.resize(static_cast<size_t>(got));
    return 0;
  }

 private:
  int Ready(short events) const {
    switch (Await(fd_, events, deadline_, cancel_fd_)) {
      case Wait::kReady:
        return 0;
      case Wait::kTimeout:
        return ETIMEDOUT;
      case Wait::kCancelled:
        break;
    }
    return ECANCELED;
  }

  const int fd_;
  const Clock::time_point deadline_;
  const int cancel_fd_;
};

std::string Length(size_t size) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(size >> shift);
  return bytes;
}

int AskOverTcp(const os::net::SocketAddress& address, std::string_view request, Clock::time_point deadline,
               int cancel_fd, std::string& reply) {
  Socket socket(address, SOCK_STREAM, deadline, cancel_fd);
  if (const int error = socket.Connect(address); error != 0) return error;
  if (const int error = socket.SendAll(Length(request.size()) + std::string(request)); error != 0) return error;
  std::string length;
  if (const int error = socket.ReceiveAll(length, 4); error != 0) return error;
  size_t size = 0;
  for (const char c : length) size = size << 8 | static_cast<unsigned char>(c);
  if (size > kReplyMax) return EMSGSIZE;
  return socket.ReceiveAll(reply, size);
}

int AskOverUdp(const os::net::SocketAddress& address, std::string_view request, Clock::time_point deadline,
               int cancel_fd, std::string& reply) {
  Socket socket(address, SOCK_DGRAM, deadline, cancel_fd);
  if (const int error = socket.Connect(address); error != 0) return error;
  while (Clock::now() < deadline) {
    if (const int error = socket.SendAll(request); error != 0) return error;
    const int error = socket.ReceiveDatagram(reply, Clock::now() + kResend);
    if (error != ETIMEDOUT) return error;
  }
  return ETIMEDOUT;
}

std::string Why(int error) {
  switch (error) {
    case ETIMEDOUT:
      return "no answer";
    case EPIPE:
      return "closed the connection without an answer";
    case EMSGSIZE:
      return "sent something that is not an answer of a KDC";
    default:
      return strerror(error);
  }
}

std::string After(Clock::time_point begun) {
  return " after " + FormatDuration(std::chrono::duration_cast<Duration>(Clock::now() - begun));
}

Error Cancelled() { return {ErrorCode::kTimeout, "querying the KDC was cancelled"}; }

Result<std::vector<os::net::SocketAddress>> Addresses(const HostPort& where, Clock::time_point deadline,
                                                      int cancel_fd) {
  os::net::Lookup lookup(where, std::max(Duration(0), std::chrono::duration_cast<Duration>(deadline - Clock::now())));
  if (lookup.fd() >= 0) {
    switch (Await(lookup.fd(), POLLIN, deadline, cancel_fd)) {
      case Wait::kCancelled:
        return Cancelled();
      case Wait::kTimeout:
        return Error{ErrorCode::kTimeout, "looking up the host " + where.host + ": no answer"};
      case Wait::kReady:
        break;
    }
  }
  return lookup.Take();
}

}  // namespace

Result<HostPort> ParseKdc(std::string_view text) {
  for (const std::string_view prefix : {"tcp/", "udp/"}) {
    if (text.starts_with(prefix)) text.remove_prefix(prefix.size());
  }
  HostPort where{std::string(text), kKdcPort};
  const size_t colons = static_cast<size_t>(std::ranges::count(text, ':'));
  if (text.starts_with('[') && text.ends_with(']')) {
    where.host = text.substr(1, text.size() - 2);
  } else if (colons == 1 || text.starts_with('[')) {
    HOWDAH_TRY(where, ParseHostPort(text));
  }
  const bool plain = std::ranges::all_of(where.host, [](unsigned char c) { return c > ' ' && c < 0x7f && c != '/'; });
  if (where.host.empty() || where.port == 0 || !plain) {
    return Error{ErrorCode::kUsage, "'" + std::string(text) + "' is not the address of a KDC; write host or host:port"};
  }
  return where;
}

Result<KdcList> FindKdcs(const std::string& realm, const std::string& searched, bool use_dns, const Waiting& waiting) {
  const std::string tcp = "_kerberos._tcp." + realm, udp = "_kerberos._udp." + realm;
  std::string dns = "dns_lookup_kdc is false, so DNS was not queried";
  if (use_dns) {
    dns = "DNS: ";
    for (const std::string& name : {tcp, udp}) {
      const auto left = std::chrono::duration_cast<Duration>(waiting.deadline - Clock::now());
      auto found = os::net::FindServices(name + ".", std::clamp(left, Duration(0), waiting.per_kdc), waiting.cancel_fd);
      if (found) return KdcList{*std::move(found), "the DNS records " + name};
      dns += (name == tcp ? "" : ", ") + name + ": " +
             (found.error().code == ErrorCode::kNotFound ? "no such record" : "no name server answered");
    }
  }
  return Error{ErrorCode::kUnavailable,
               "no KDC of the realm " + realm + " is known: " + searched + " has no `kdc` for it in [realms]; " + dns};
}

Result<KdcReply> AskKdcs(const std::string& realm, const KdcList& list, std::string_view request,
                         const Waiting& waiting) {
  std::string failures;
  const auto failed = [&](const std::string& what) { failures += (failures.empty() ? "" : "; ") + what; };
  for (const HostPort& kdc : list.kdcs) {
    const auto begun = Clock::now(), deadline = std::min(waiting.deadline, begun + waiting.per_kdc);
    if (begun >= waiting.deadline) {
      failed(kdc.Text() + ": not tried, because the limit was reached");
      continue;
    }
    const auto addresses = Addresses(kdc, deadline, waiting.cancel_fd);
    if (!addresses) {
      if (waiting.cancel_fd >= 0 && Await(waiting.cancel_fd, POLLIN, Clock::now(), -1) == Wait::kReady) {
        return Cancelled();
      }
      failed(kdc.Text() + ": " + addresses.error().message + After(begun));
      continue;
    }
    for (const os::net::SocketAddress& address : *addresses) {
      const std::string name = kdc.Text() + (address.ip() == kdc.host ? "" : " (" + address.ip() + ")");
      KdcReply reply;
      for (const bool over_tcp : {true, false}) {
        const auto sent = Clock::now();
        const int error =
            (over_tcp ? AskOverTcp : AskOverUdp)(address, request, deadline, waiting.cancel_fd, reply.bytes);
        if (error == ECANCELED) return Cancelled();
        if (error == 0) {
          reply.address = name + (over_tcp ? ", TCP" : ", UDP");
          reply.took = std::chrono::duration_cast<Duration>(Clock::now() - sent);
          return reply;
        }
        failed(name + (over_tcp ? ", TCP: " : ", UDP: ") + Why(error) + After(sent));
        if (error != ECONNREFUSED) break;
      }
    }
  }
  return Error{ErrorCode::kUnavailable,
               "no KDC of the realm " + realm + " answers (from " + list.from + "): " + failures};
}

}  // namespace howdah::hadoop::kerberos
