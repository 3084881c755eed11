#include "howdah/os/net/connect.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

#include "owned_fd.h"

namespace howdah::os::net {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// A port on loopback, with a socket that either listens or is only bound.
struct Port {
  explicit Port(bool listening) : fd(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(bind(fd.get(), reinterpret_cast<sockaddr*>(&at), sizeof at), 0);
    EXPECT_EQ(listening ? listen(fd.get(), 4) : 0, 0);
    number = LocalAddress(fd.get())->port();
  }
  OwnedFd fd;
  uint16_t number = 0;
};

TEST(Connect, ListenerIsReached) {
  Port port(true);
  for (const char* host : {"localhost", "127.0.0.1", "0.0.0.0"}) {
    const auto fd = Connect({host, port.number}, seconds(20));
    ASSERT_TRUE(fd) << fd.error().message;
    OwnedFd mine(*fd), theirs(accept(port.fd.get(), nullptr, nullptr));
    EXPECT_NE(fcntl(*fd, F_GETFL) & O_NONBLOCK, 0);
    EXPECT_NE(fcntl(*fd, F_GETFD) & FD_CLOEXEC, 0);
    int value = 0;
    socklen_t size = sizeof value;
    EXPECT_EQ(getsockopt(*fd, IPPROTO_TCP, TCP_NODELAY, &value, &size), 0);
    EXPECT_NE(value, 0);
    EXPECT_EQ(LocalAddress(*fd)->ip(), "127.0.0.1");

    EXPECT_TRUE(AwaitWritable(*fd, seconds(20)).ok());
    const Status nothing = AwaitReadable(*fd, milliseconds(5));
    ASSERT_FALSE(nothing);
    EXPECT_EQ(nothing.error().code, ErrorCode::kTimeout);
    EXPECT_EQ(write(theirs.get(), "x", 1), 1);
    EXPECT_TRUE(AwaitReadable(*fd, seconds(20)).ok());
  }
}

TEST(Connect, RefusedConnectionIsUnavailable) {
  Port port(false);
  const auto fd = Connect({"127.0.0.1", port.number}, seconds(20));
  ASSERT_FALSE(fd);
  EXPECT_EQ(fd.error(), (Error{ErrorCode::kUnavailable, "connecting to 127.0.0.1:" + std::to_string(port.number) +
                                                            " (127.0.0.1): Connection refused"}));
}

TEST(Connect, AllAddressesOfHostAreTried) {
  OwnedFd fd(socket(AF_INET6, SOCK_STREAM, 0));
  sockaddr_in6 at{};
  at.sin6_family = AF_INET6;
  at.sin6_addr = in6addr_loopback;
  if (bind(fd.get(), reinterpret_cast<sockaddr*>(&at), sizeof at) != 0) GTEST_SKIP() << "no IPv6 here";
  ASSERT_EQ(listen(fd.get(), 4), 0);
  const uint16_t port = LocalAddress(fd.get())->port();
  for (const char* host : {"localhost", "::1"}) {  // for localhost, 127.0.0.1 is tried first and refuses
    const auto connected = Connect({host, port}, seconds(20));
    ASSERT_TRUE(connected) << connected.error().message;
    EXPECT_EQ(LocalAddress(*connected)->ip(), "::1");
    OwnedFd mine(*connected);
  }
}

TEST(ConnectFailures, AddressesAreGroupedByReason) {
  ConnectFailures failures;
  const auto address = [](uint8_t last) {
    SocketAddress a;
    auto* in = reinterpret_cast<sockaddr_in*>(&a.storage);
    in->sin_family = AF_INET;
    in->sin_addr.s_addr = htonl(0x0a000000U + last);
    return a;
  };
  failures.Add(address(7), ECONNREFUSED);
  failures.Add(address(8), ETIMEDOUT);
  failures.Add(address(9), ECONNREFUSED);
  EXPECT_EQ(failures.text(), "(10.0.0.7, 10.0.0.9): Connection refused; (10.0.0.8): no answer");
}

}  // namespace
}  // namespace howdah::os::net
