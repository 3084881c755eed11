#include "howdah/rpc/peer_user.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace howdah::rpc {
namespace {

using os::files::Fd;

class PeerUser : public testing::Test {
 protected:
  PeerUser() {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(bind(listener_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(listen(listener_.get(), 1), 0);
    socklen_t size = sizeof address_;
    EXPECT_EQ(getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address_), &size), 0);
  }
  Fd Connect() const {
    Fd fd(socket(AF_INET, SOCK_STREAM, 0));
    if (connect(fd.get(), reinterpret_cast<const sockaddr*>(&address_), sizeof address_) != 0) return Fd();
    return fd;
  }
  Fd Accept() const { return Fd(accept(listener_.get(), nullptr, nullptr)); }

  Fd listener_{socket(AF_INET, SOCK_STREAM, 0)};
  sockaddr_in address_{};
  PeerUsers users_;
};

TEST_F(PeerUser, OwnerOfOpenSocketIsReturned) {
  const Fd client = Connect(), server = Accept();
  EXPECT_EQ(users_.UserOf(server.get()), geteuid());
}

TEST_F(PeerUser, ClosedSocketHasNoOwner) {
  Fd client = Connect();
  const Fd server = Accept();
  client.Close();
  EXPECT_EQ(users_.UserOf(server.get()), std::nullopt);
}

// A client that has sent its whole request may close that direction and still read the answer.
TEST_F(PeerUser, SocketThatWasShutDownForWritingHasAnOwner) {
  const Fd client = Connect(), server = Accept();
  ASSERT_EQ(shutdown(client.get(), SHUT_WR), 0);
  EXPECT_EQ(users_.UserOf(server.get()), geteuid());
}

TEST_F(PeerUser, OtherUserIsReturned) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can connect as another user";
  constexpr uid_t kOther = 61001;
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  Fd hold(ends[1]);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    hold.Close();
    if (setuid(kOther) != 0) _exit(1);
    const Fd client = Connect();
    char byte = 0;
    _exit(client.valid() && read(ends[0], &byte, 1) == 0 ? 0 : 1);
  }
  const Fd server = Accept();
  EXPECT_EQ(users_.UserOf(server.get()), kOther);
  hold.Close();
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  close(ends[0]);
}

}  // namespace
}  // namespace howdah::rpc
