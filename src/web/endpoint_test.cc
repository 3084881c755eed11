// Listening on TCP ports and unix sockets.
#include <fcntl.h>
#include <sys/stat.h>

#include "test_server.h"

namespace howdah::web {
namespace {

using os::files::Fd;
using testing::EndsWith;
using testing::HasSubstr;

class WebEndpoint : public testing::Test {
 protected:
  WebEndpoint() {
    char name[] = "/tmp/howdah-web-XXXXXX";
    folder_ = mkdtemp(name);
  }
  ~WebEndpoint() override {
    unlink(path().c_str());
    rmdir(folder_.c_str());
  }
  std::string path() const { return folder_ + "/socket"; }
  // Starts a server without running its loop.
  Result<std::unique_ptr<Server>> Start(Endpoint endpoint) {
    Server::Options options;
    options.endpoints = {std::move(endpoint)};
    return Server::Start(loop_, std::move(options), [](const Request&, const Respond&) {});
  }

  boost::asio::io_context loop_;
  std::string folder_;
};

TEST_F(WebEndpoint, UnixSocketIdentifiesTheUser) {
  Server::Options options;
  options.endpoints = {{.unix_path = path()}};
  {
    Served served(std::move(options));
    struct stat file {};
    ASSERT_EQ(stat(path().c_str(), &file), 0);
    EXPECT_EQ(file.st_mode & 0777, 0600U);
    Client client(path());
    EXPECT_THAT(client.Get("/a"), EndsWith("GET /a  [] from unix me"));
    const auto second = Start({.unix_path = path()});
    ASSERT_FALSE(second.ok());
    EXPECT_EQ(second.error().code, ErrorCode::kUnavailable);
  }
  EXPECT_NE(access(path().c_str(), F_OK), 0) << "the server removes its socket";
}

TEST_F(WebEndpoint, StaleUnixSocketIsReplacedAndOtherFilesAreNot) {
  {
    const Fd dead(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path().copy(address.sun_path, sizeof address.sun_path - 1);
    ASSERT_EQ(bind(dead.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  }
  EXPECT_TRUE(Start({.unix_path = path()}).ok());
  const Fd file(open(path().c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
  const auto refused = Start({.unix_path = path()});
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("a file that is not a socket"));
  EXPECT_EQ(access(path().c_str(), F_OK), 0);
}

TEST_F(WebEndpoint, UsedPortIsAnErrorUnlessItMayChange) {
  const auto first = Start({.host = "127.0.0.1"});
  ASSERT_TRUE(first.ok());
  const uint16_t port = (*first)->endpoints()[0].port;
  const auto refused = Start({.host = "127.0.0.1", .port = port});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(refused.error().message, HasSubstr("listening on 127.0.0.1:" + std::to_string(port) + ": it is in use"));
  const auto other = Start({.host = "127.0.0.1", .port = port, .port_may_change = true});
  ASSERT_TRUE(other.ok());
  EXPECT_NE((*other)->endpoints()[0].port, port);
  EXPECT_EQ(Start({.host = "example.com"}).error().code, ErrorCode::kUsage);
}

TEST_F(WebEndpoint, TextsAreParsed) {
  const auto tcp = Endpoint::Parse("[::1]:8190");
  ASSERT_TRUE(tcp.ok());
  EXPECT_EQ(tcp->host, "::1");
  EXPECT_EQ(tcp->port, 8190);
  EXPECT_EQ(Endpoint::Parse("localhost:0")->host, "127.0.0.1");
  EXPECT_EQ(Endpoint::Parse("unix:/tmp/s")->unix_path, "/tmp/s");
  for (const std::string& bad : {std::string("unix:"), "unix:/" + std::string(200, 'x'), std::string("example.com:80"),
                                 std::string("127.0.0.1"), std::string("127.0.0.1:99999"), std::string()}) {
    EXPECT_EQ(Endpoint::Parse(bad).error().code, ErrorCode::kUsage) << bad;
  }
}

}  // namespace
}  // namespace howdah::web
