#include "howdah/rpc/acceptor.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <mutex>
#include <string>
#include <vector>

namespace howdah::rpc {
namespace {

using os::files::Fd;

Fd Connect(uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  EXPECT_EQ(::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  return socket;
}

std::string PeerOf(const Fd& client) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  EXPECT_EQ(::getsockname(client.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
  return "ipv4:127.0.0.1:" + std::to_string(ntohs(address.sin_port));
}

bool IsClosed(const Fd& client, int limit_ms) {
  pollfd watched{client.get(), POLLRDHUP, 0};
  return ::poll(&watched, 1, limit_ms) == 1;
}

TEST(Acceptor, ConnectionWithoutACallIsClosedIfCallsAreNeeded) {
  std::mutex mutex;
  std::vector<Fd> taken;
  const Acceptor::Limits limits{.handshake = std::chrono::milliseconds(1), .needs_call = true};
  const auto acceptor = Acceptor::Listen("127.0.0.1", 0, limits, Peers::kAny);
  ASSERT_TRUE(acceptor.ok()) << acceptor.error().message;
  (*acceptor)->Start([&](int socket) {
    const std::lock_guard lock(mutex);
    taken.emplace_back(socket);
  });
  const Fd caller = Connect((*acceptor)->port());
  (*acceptor)->OnCall(PeerOf(caller));
  const Fd silent = Connect((*acceptor)->port());
  // The caller is older. If the report of its call comes before it is accepted, it is repeated by further calls.
  for (int i = 0; i < 6'000 && !IsClosed(silent, 10); ++i) (*acceptor)->OnCall(PeerOf(caller));
  EXPECT_TRUE(IsClosed(silent, 0));
  EXPECT_FALSE(IsClosed(caller, 0));
}

}  // namespace
}  // namespace howdah::rpc
