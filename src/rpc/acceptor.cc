#include "howdah/rpc/acceptor.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace howdah::rpc {
namespace {

using os::files::Fd;

constexpr int kBacklog = 4096;
constexpr int kAcceptedAtOnce = 64;
constexpr int kUserTimeoutMillis = 20'000;  // the value that gRPC sets for its own listeners, its keepalive timeout
// gRPC's timer for a handshake starts later than ours.
constexpr std::chrono::milliseconds kHandshakeMargin{1'000};

struct Address {
  sockaddr_storage storage{};
  socklen_t size = sizeof storage;

  sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
  const sockaddr_in& v4() const { return reinterpret_cast<const sockaddr_in&>(storage); }
  const sockaddr_in6& v6() const { return reinterpret_cast<const sockaddr_in6&>(storage); }
};

bool ParseAddress(const std::string& host, uint16_t port, Address& address) {
  auto& v4 = reinterpret_cast<sockaddr_in&>(address.storage);
  if (inet_pton(AF_INET, host.c_str(), &v4.sin_addr) == 1) {
    v4.sin_family = AF_INET;
    v4.sin_port = htons(port);
    address.size = sizeof v4;
    return true;
  }
  auto& v6 = reinterpret_cast<sockaddr_in6&>(address.storage);
  if (inet_pton(AF_INET6, host.c_str(), &v6.sin6_addr) != 1) return false;
  v6.sin6_family = AF_INET6;
  v6.sin6_port = htons(port);
  address.size = sizeof v6;
  return true;
}

uint16_t PortOf(const Address& address) {
  return ntohs(address.storage.ss_family == AF_INET6 ? address.v6().sin6_port : address.v4().sin_port);
}

// Formats the address as grpc::ServerContext::peer() does, but does not escape brackets and '%'.
std::string PeerText(const Address& address) {
  char text[INET6_ADDRSTRLEN] = "";
  const std::string port = ":" + std::to_string(PortOf(address));
  if (address.storage.ss_family == AF_INET) {
    inet_ntop(AF_INET, &address.v4().sin_addr, text, sizeof text);
    return "ipv4:" + (text + port);
  }
  const in6_addr& v6 = address.v6().sin6_addr;
  if (IN6_IS_ADDR_V4MAPPED(&v6)) {
    inet_ntop(AF_INET, v6.s6_addr + 12, text, sizeof text);
    return "ipv4:" + (text + port);
  }
  inet_ntop(AF_INET6, &v6, text, sizeof text);
  const uint32_t scope = address.v6().sin6_scope_id;
  return "ipv6:[" + std::string(text) + (scope == 0 ? "" : "%" + std::to_string(scope)) + "]" + port;
}

std::string Unescaped(const std::string& peer) {
  std::string text;
  for (size_t i = 0; i < peer.size(); ++i) {
    const bool escape = peer[i] == '%' && i + 2 < peer.size();
    text += escape ? static_cast<char>(std::stoi("0" + peer.substr(i + 1, 2), nullptr, 16)) : peer[i];
    if (escape) i += 2;
  }
  return text;
}

Fd OpenReserve() { return Fd(::open("/dev/null", O_RDONLY | O_CLOEXEC)); }

bool IsOutOfDescriptors(int error) { return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM; }

void SetOption(int socket, int level, int option, int value) {
  (void)::setsockopt(socket, level, option, &value, sizeof value);
}

}  // namespace

Result<std::unique_ptr<Acceptor>> Acceptor::Listen(const std::string& host, uint16_t port, const Limits& limits,
                                                   Peers peers) {
  Address address;
  if (!ParseAddress(host, port, address)) return Failed("listening on " + host + ": not an IP address");
  Fd listener(::socket(address.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!listener.valid()) return os::files::SystemError("listening on " + host);
  SetOption(listener.get(), SOL_SOCKET, SO_REUSEADDR, 1);
  // Accepted sockets inherit these options.
  SetOption(listener.get(), IPPROTO_TCP, TCP_NODELAY, 1);
  SetOption(listener.get(), IPPROTO_TCP, TCP_USER_TIMEOUT, kUserTimeoutMillis);
  if (::bind(listener.get(), address.get(), address.size) != 0 || ::listen(listener.get(), kBacklog) != 0 ||
      ::getsockname(listener.get(), address.get(), &address.size) != 0) {
    return os::files::SystemError("listening on " + host + (port == 0 ? "" : ":" + std::to_string(port)) +
                                  " (it must be an address of this machine, with a free port)");
  }
  const uint16_t bound = PortOf(address);
  std::unique_ptr<Acceptor> acceptor(new Acceptor(std::move(listener), bound, limits, peers));
  if (!acceptor->wake_.valid()) return os::files::SystemError("listening on " + host);
  return acceptor;
}

Acceptor::Acceptor(Fd listener, uint16_t port, const Limits& limits, Peers peers)
    : listener_(std::move(listener)),
      port_(port),
      limits_(limits),
      users_(peers == Peers::kSameUser ? std::make_unique<os::net::PeerUsers>() : nullptr),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      reserve_(OpenReserve()) {}

Acceptor::~Acceptor() {
  if (!thread_.joinable()) return;
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  Wake();
  thread_.join();
}

void Acceptor::Start(Take take) {
  thread_ = std::thread([this, take = std::move(take)] { Run(take); });
}

void Acceptor::OnCall(const std::string& peer) {
  {
    std::lock_guard lock(mutex_);
    callers_.push_back(Unescaped(peer));
  }
  Wake();
}

void Acceptor::Wake() {
  const uint64_t one = 1;
  (void)!::write(wake_.get(), &one, sizeof one);
}

void Acceptor::Run(const Take& take) {
  for (;;) {
    {
      std::lock_guard lock(mutex_);
      if (stopping_) return;
    }
    RemoveFinished();
    const auto now = Clock::now();
    const bool full = unfinished_.size() >= limits_.unfinished;
    const bool waiting = full && now - unfinished_.front().begun < limits_.patience;
    const bool paused = now < paused_until_;
    auto until = Clock::time_point::max();
    if (!unfinished_.empty()) {
      until = unfinished_.front().begun + (waiting ? limits_.patience : limits_.handshake + kHandshakeMargin);
    }
    if (paused) until = std::min(until, paused_until_);
    if (!Wait(!waiting && !paused, until)) continue;
    if (unfinished_.size() >= limits_.unfinished) CloseOldest();
    AcceptSome(take);
  }
}

bool Acceptor::Wait(bool accepting, Clock::time_point until) {
  std::vector<pollfd> watched = {{wake_.get(), POLLIN, 0}, {accepting ? listener_.get() : -1, POLLIN, 0}};
  // Also wait for the end of unfinished connections: the peer (POLLRDHUP) or gRPC (POLLHUP) has closed them.
  for (const Unfinished& one : unfinished_) watched.push_back({one.socket.get(), POLLRDHUP, 0});
  int timeout = -1;
  if (until != Clock::time_point::max()) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
    timeout = static_cast<int>(std::max<int64_t>(left.count(), 0));
  }
  if (::poll(watched.data(), watched.size(), timeout) <= 0) return false;
  uint64_t ignored = 0;
  if (watched[0].revents != 0) (void)!::read(wake_.get(), &ignored, sizeof ignored);
  auto one = unfinished_.begin();
  for (size_t i = 2; i < watched.size(); ++i) one = watched[i].revents != 0 ? unfinished_.erase(one) : std::next(one);
  return watched[1].revents != 0;
}

void Acceptor::RemoveFinished() {
  std::vector<std::string> callers;
  {
    std::lock_guard lock(mutex_);
    callers.swap(callers_);
  }
  for (const std::string& caller : callers) {
    unfinished_.remove_if([&](const Unfinished& one) { return one.peer == caller; });
  }
  const auto begun = Clock::now() - limits_.handshake - kHandshakeMargin;
  while (!unfinished_.empty() && unfinished_.front().begun <= begun) {
    limits_.needs_call ? CloseOldest() : unfinished_.pop_front();
  }
}

void Acceptor::AcceptSome(const Take& take) {
  // Limit the number of connections per call, so that a stranger that connects all the time does not keep the thread in
  // this loop.
  for (int i = 0; i < kAcceptedAtOnce && unfinished_.size() < limits_.unfinished; ++i) {
    Address address;
    Fd socket(::accept4(listener_.get(), address.get(), &address.size, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (socket.valid()) {
      if (IsStranger(socket.get())) {
        // Closes the connection by a reset, which leaves no state of it in the kernel.
        const linger reset{1, 0};
        (void)::setsockopt(socket.get(), SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
        continue;
      }
      if (!Accepted(std::move(socket), PeerText(address), take)) return OnDescriptorsUsedUp();
      continue;
    }
    if (errno == EAGAIN) return;
    if (IsOutOfDescriptors(errno)) return OnDescriptorsUsedUp();
    if (errno != ECONNABORTED && errno != EINTR) return Pause();
  }
}

bool Acceptor::IsStranger(int socket) const {
  const auto user = users_ ? users_->UserOf(socket) : std::nullopt;
  return user && *user != 0 && *user != ::geteuid();
}

bool Acceptor::Accepted(Fd socket, std::string peer, const Take& take) {
  Fd duplicate(::fcntl(socket.get(), F_DUPFD_CLOEXEC, 3));
  if (!duplicate.valid()) return false;
  unfinished_.push_back({std::move(peer), std::move(duplicate), Clock::now()});
  take(socket.Release());
  return true;
}

// Closes the oldest unfinished connection, which frees its descriptor. Also accepts the next waiting connection with
// the reserve descriptor and closes it, so that its peer detects the failure.
void Acceptor::OnDescriptorsUsedUp() {
  if (!unfinished_.empty()) CloseOldest();
  reserve_.Close();
  Fd(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC)).Close();
  reserve_ = OpenReserve();
  Pause();
}

void Acceptor::CloseOldest() {
  // gRPC detects the end of the stream, gives up the handshake and closes its descriptor.
  ::shutdown(unfinished_.front().socket.get(), SHUT_RDWR);
  unfinished_.pop_front();
}

}  // namespace howdah::rpc
