#include "howdah/os/net/peer_user.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "howdah/os/net/address.h"
#include "owned_fd.h"

namespace howdah::os::net {
namespace {

// A listener on the loopback address of a family.
class Loopback {
 public:
  explicit Loopback(int family) : family_(family), listener_(socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    if (family == AF_INET6) {
      auto& v6 = reinterpret_cast<sockaddr_in6&>(address_.storage);
      v6.sin6_family = AF_INET6;
      v6.sin6_addr = in6addr_loopback;
      address_.size = sizeof v6;
    } else {
      auto& v4 = reinterpret_cast<sockaddr_in&>(address_.storage);
      v4.sin_family = AF_INET;
      v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
      address_.size = sizeof v4;
    }
    listens_ = bind(listener_.get(), address_.get(), address_.size) == 0 && listen(listener_.get(), 1) == 0 &&
               getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address_.storage), &address_.size) == 0;
  }
  bool listens() const { return listens_; }
  OwnedFd Connect() const {
    OwnedFd fd(socket(family_, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (connect(fd.get(), address_.get(), address_.size) != 0) return OwnedFd();
    return fd;
  }
  OwnedFd Accept() const { return OwnedFd(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC)); }

 private:
  const int family_;
  const OwnedFd listener_;
  SocketAddress address_;
  bool listens_ = false;
};

class PeerUser : public testing::Test {
 protected:
  const Loopback loopback_{AF_INET};
  const PeerUsers users_;
};

TEST_F(PeerUser, OwnerOfOpenSocketIsReturned) {
  const OwnedFd client = loopback_.Connect(), server = loopback_.Accept();
  EXPECT_EQ(users_.UserOf(server.get()), geteuid());
}

TEST_F(PeerUser, OwnerOfOpenSocketIsReturnedForIPv6) {
  const Loopback v6(AF_INET6);
  if (!v6.listens()) GTEST_SKIP() << "this machine has no IPv6 loopback address";
  const OwnedFd client = v6.Connect(), server = v6.Accept();
  EXPECT_EQ(users_.UserOf(server.get()), geteuid());
}

TEST_F(PeerUser, ClosedSocketHasNoOwner) {
  OwnedFd client = loopback_.Connect();
  const OwnedFd server = loopback_.Accept();
  client = OwnedFd();
  EXPECT_EQ(users_.UserOf(server.get()), std::nullopt);
}

// A client that has sent its whole request may close that direction and still read the answer.
TEST_F(PeerUser, SocketThatWasShutDownForWritingHasAnOwner) {
  const OwnedFd client = loopback_.Connect(), server = loopback_.Accept();
  ASSERT_EQ(shutdown(client.get(), SHUT_WR), 0);
  EXPECT_EQ(users_.UserOf(server.get()), geteuid());
}

TEST_F(PeerUser, OtherUserIsReturned) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can connect as another user";
  constexpr uid_t kOther = 61001;
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  OwnedFd hold(ends[1]);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    hold = OwnedFd();
    if (setuid(kOther) != 0) _exit(1);
    const OwnedFd client = loopback_.Connect();
    char byte = 0;
    _exit(client.get() >= 0 && read(ends[0], &byte, 1) == 0 ? 0 : 1);
  }
  const OwnedFd server = loopback_.Accept();
  EXPECT_EQ(users_.UserOf(server.get()), kOther);
  hold = OwnedFd();
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  close(ends[0]);
}

TEST(PeerUserOfUnixSocket, UserOfConnectedSocketIsReturned) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  const OwnedFd one(ends[0]), other(ends[1]);
  EXPECT_EQ(UserOfUnixSocket(one.get()), geteuid());
  const OwnedFd unconnected(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  EXPECT_EQ(UserOfUnixSocket(unconnected.get()), std::nullopt);
}

}  // namespace
}  // namespace howdah::os::net
