#include "ready_probe.h"

#include <gtest/gtest.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <memory>
#include <vector>

namespace howdah::executor {
namespace {

using boost::asio::ip::tcp;
using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(ProbeTarget, IsReadFromTheJobFileAndTheEnvironment) {
  const Variables environment = {{"HOWDAH_PORT", "4711"}, {"EMPTY", ""}};
  const struct {
    const char* http;
    const char* port;
    ProbeTarget target;
  } rows[] = {
      {"", "80", {"127.0.0.1", 80, ""}},
      {"", "${HOWDAH_PORT}", {"127.0.0.1", 4711, ""}},
      {"http://127.0.0.1:${HOWDAH_PORT}/up?now=1", "", {"127.0.0.1", 4711, "/up?now=1"}},
      {"http://localhost", "", {"127.0.0.1", 80, "/"}},
      {"http://[::1]:8080/", "", {"::1", 8080, "/"}},
      {"http://[::1]/", "", {"::1", 80, "/"}},
  };
  for (const auto& row : rows) {
    const auto target = ProbeTargetOf({.http = row.http, .port = row.port}, environment);
    ASSERT_TRUE(target.ok()) << row.http << row.port << target.error().message;
    EXPECT_EQ(*target, row.target) << row.http << row.port;
  }
}

TEST(ProbeTarget, ErrorNamesTheProbeAndTheFault) {
  const Variables environment = {{"NAME", "web"}};
  const struct {
    const char* http;
    const char* port;
    const char* message;
  } rows[] = {
      {"", "${PORT}", "its readiness probe ${PORT} cannot be made: the task has no variable PORT"},
      {"", "${NAME}", "its readiness probe ${NAME} cannot be made: 'web' is not a port"},
      {"http://127.0.0.1:0/", "", "its readiness probe http://127.0.0.1:0/ cannot be made: '0' is not a port"},
      {"http://127.0.0.1:99999/", "",
       "its readiness probe http://127.0.0.1:99999/ cannot be made: '99999' is not a port"},
      {"http://example.com/", "",
       "its readiness probe http://example.com/ cannot be made: the probe runs on the task's own host; write "
       "127.0.0.1 or localhost"},
  };
  for (const auto& row : rows) {
    const auto target = ProbeTargetOf({.http = row.http, .port = row.port}, environment);
    ASSERT_FALSE(target.ok()) << row.http << row.port;
    EXPECT_EQ(target.error().message, row.message);
  }
}

// A server that gives one answer per connection, in the given order, and then no more connections are accepted.
class ScriptedServer {
 public:
  ScriptedServer(boost::asio::io_context& loop, std::vector<std::string> answers)
      : acceptor_(loop, tcp::endpoint(boost::asio::ip::make_address("127.0.0.1"), 0)), answers_(std::move(answers)) {
    Accept();
  }
  uint16_t port() const { return acceptor_.local_endpoint().port(); }
  size_t connections() const { return sockets_.size(); }

 private:
  void Accept() {
    acceptor_.async_accept([this](const boost::system::error_code& error, tcp::socket socket) {
      if (error) return;
      sockets_.push_back(std::make_unique<tcp::socket>(std::move(socket)));
      const std::string& answer = answers_[std::min(sockets_.size(), answers_.size()) - 1];
      if (!answer.empty()) boost::asio::write(*sockets_.back(), boost::asio::buffer(answer));
      Accept();
    });
  }

  tcp::acceptor acceptor_;
  std::vector<std::string> answers_;
  std::vector<std::unique_ptr<tcp::socket>> sockets_;
};

TEST(ReadyProbe, RepeatsUntilTheServerAnswersWell) {
  boost::asio::io_context loop;
  // An empty answer leaves the connection open, so that only the time limit ends the probe.
  ScriptedServer server(
      loop, {"HTTP/1.1 503 Service Unavailable\r\n\r\n", "garbage\n", "", "HTTP/1.1 204 No Content\r\n\r\n"});
  ReadyProbe probe(loop, [&] { loop.stop(); });
  probe.Begin({"127.0.0.1", server.port(), "/up"}, milliseconds(1), milliseconds(100));
  loop.run_for(seconds(60));
  EXPECT_EQ(server.connections(), 4u);
}

TEST(ReadyProbe, ConnectionIsEnoughForAPort) {
  boost::asio::io_context loop;
  ScriptedServer server(loop, {""});
  bool ready = false;
  ReadyProbe probe(loop, [&] {
    ready = true;
    loop.stop();
  });
  probe.Begin({"127.0.0.1", server.port(), ""}, milliseconds(1), seconds(10));
  loop.run_for(seconds(60));
  EXPECT_TRUE(ready);
}

TEST(ReadyProbe, ReportsNothingAfterItsEnd) {
  boost::asio::io_context loop;
  ScriptedServer server(loop, {""});
  bool ready = false;
  ReadyProbe probe(loop, [&] { ready = true; });
  probe.Begin({"127.0.0.1", server.port(), ""}, milliseconds(1), seconds(10));
  probe.End();
  loop.run_for(milliseconds(50));
  EXPECT_FALSE(ready);
}

}  // namespace
}  // namespace howdah::executor
