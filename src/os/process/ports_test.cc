#include "howdah/os/process/ports.h"

#include <gmock/gmock.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <set>

#include "howdah/os/files/open_regular.h"
#include "howdah/os/process/testing.h"

namespace howdah::os::process {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Ports, ChoosablePortsExcludeKernelRangeAndReservedPorts) {
  const auto ranges = ParsePortRanges("20000-20002,20005\n");
  ASSERT_EQ(ranges.size(), 2u);
  EXPECT_TRUE(ranges[0].Has(20'001));
  EXPECT_FALSE(ranges[0].Has(20'003));
  EXPECT_TRUE(ranges[1].Has(20'005));
  const auto ephemeral = ParsePortRanges("20010\t65533\n");
  ASSERT_EQ(ephemeral.size(), 1u);
  const auto ports = ChoosablePorts(ephemeral[0], ranges);
  EXPECT_THAT(std::vector<uint16_t>(ports.end() - 10, ports.end()),
              ElementsAre(19'998, 19'999, 20'003, 20'004, 20'006, 20'007, 20'008, 20'009, 65'534, 65'535))
      << ports.size();
  EXPECT_TRUE(ChoosablePorts({0, 65'535}, {}).empty());
}

TEST(Ports, InvalidRangesAreSkipped) {
  for (const char* text : {"", "-", "40-8", "81920", "1-81920", "0-81920", "99999999999999999999", "a\tb"}) {
    EXPECT_TRUE(ParsePortRanges(text).empty()) << text;
  }
  const auto ranges = ParsePortRanges("A100-SXM, 40-8,81920, 7-x 9");
  ASSERT_EQ(ranges.size(), 3u);
  EXPECT_TRUE(ranges[0].Has(100));
  EXPECT_TRUE(ranges[1].Has(7));
  EXPECT_TRUE(ranges[2].Has(9));
  EXPECT_FALSE(ranges[0].Has(101) || ranges[1].Has(8) || ranges[2].Has(10));
}

TEST(Ports, ListeningSocketsAreFoundInTheTableOfTheKernel) {
  const std::string table =
      "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
      "   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 71001 1 0 100 0\n"
      "   1: 0100007F:1F90 0100007F:D431 01 00000000:00000000 00:00000000 00000000  1000        0 71002 1 0 20 4\n"
      "   2: 00000000:0016 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 71003 1 0 100 0\n"
      "   0: 00000000000000000000000000000000:1F90 00000000000000000000000000000000:0000 0A 00000000:00000000 "
      "00:00000000 00000000  1000        0 71004 1 0 100 0\n"
      "   3: 0100007F:1F90 00000000:0000 0A 00000000:0000";
  EXPECT_THAT(ListeningInodes(table, 8080), ElementsAre("71001", "71004"));
  EXPECT_THAT(ListeningInodes(table, 22), ElementsAre("71003"));
  EXPECT_TRUE(ListeningInodes("", 22).empty());
}

TEST(Ports, ReservationsHaveDifferentPorts) {
  std::vector<PortReservation> all;
  std::set<uint16_t> ports;
  for (int i = 0; i < 100; ++i) {
    auto one = PortReservation::Reserve();
    ASSERT_TRUE(one.ok());
    ports.insert(one->port());
    one->StopHolding();  // after this call, only the lock prevents other reservations of the port
    all.push_back(std::move(*one));
  }
  EXPECT_EQ(ports.size(), 100u);
}

// Runs Python with the port as its argument and returns its output.
std::string Python(const std::string& script, uint16_t port) {
  files::Scratch scratch;
  const auto out = files::OpenForAppend(scratch / "out");
  SpawnRequest request;
  request.program = "/usr/bin/python3";
  request.argv = {"python3", "-c", script, std::to_string(port)};
  request.environment = {TestPath()};
  request.stdout_fd = request.stderr_fd = out->get();
  auto child = SpawnOrError(request);
  if (!child) return child.error().message;
  WaitFor(*child);
  return files::Content(scratch / "out");
}

constexpr const char* kServer = R"(
import socket, sys
s = socket.socket(socket.AF_INET%s)
if %d: s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
s.bind(("", int(sys.argv[1])))
s.listen()
c = socket.create_connection(("localhost", int(sys.argv[1])))
s.accept()[0].close()
print("served")
)";
std::string Server(const char* family, bool reuse) {
  char text[512];
  std::snprintf(text, sizeof text, kServer, family, reuse ? 1 : 0);
  return text;
}

TEST(Ports, ServerWithReuseAddrBindsHeldPort) {
  auto port = PortReservation::Reserve();
  ASSERT_TRUE(port.ok());
  EXPECT_EQ(Python(Server("", true), port->port()), "served\n");
  EXPECT_EQ(Python(Server("6", true), port->port()), "served\n");
  EXPECT_EQ(Python(Server("", true), port->port()), "served\n") << "again, as for the next attempt";
}

TEST(Ports, ServerWithoutReuseAddrNeedsReleasedPort) {
  auto port = PortReservation::Reserve();
  ASSERT_TRUE(port.ok());
  EXPECT_THAT(Python(Server("", false), port->port()), HasSubstr("Address already in use"));
  port->StopHolding();
  EXPECT_EQ(Python(Server("", false), port->port()), "served\n");
}

TEST(Ports, PortIsHeldAgainAfterServerExit) {
  auto port = PortReservation::Reserve();
  ASSERT_TRUE(port.ok());
  EXPECT_EQ(Python(Server("", true), port->port()), "served\n");
  port->StopHolding();
  EXPECT_TRUE(port->Hold().ok()) << "although a connection of the server is in TIME_WAIT";
  EXPECT_TRUE(port->holding());
}

// Exhausts the kernel's whole port range by bind(0) and by outgoing connections. The kernel must never assign the
// reserved port.
TEST(Ports, ReservedPortIsNeverAssignedByKernel) {
  auto port = PortReservation::Reserve();
  ASSERT_TRUE(port.ok());
  port->StopHolding();
  const std::string script = R"(
import socket, sys
mine = int(sys.argv[1])
server = socket.socket(); server.bind(("127.0.0.1", 0)); server.listen(600)
kept, met = [], 0
for i in range(400):
    s = socket.socket(); s.bind(("", 0)); kept.append(s); met += s.getsockname()[1] == mine
for i in range(400):
    c = socket.create_connection(server.getsockname()); kept.append(c); met += c.getsockname()[1] == mine
print("met", met)
)";
  EXPECT_EQ(Python(script, port->port()), "met 0\n");
}

TEST(Ports, ListenerIsFound) {
  EXPECT_EQ(FindListener(PortReservation::Reserve()->port()), std::nullopt);
  const files::Fd server(::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  address.sin6_addr = in6addr_loopback;
  socklen_t size = sizeof address;
  ASSERT_EQ(::bind(server.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(::getsockname(server.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
  EXPECT_EQ(FindListener(ntohs(address.sin6_port)), std::nullopt) << "bound, not listening";
  ASSERT_EQ(::listen(server.get(), 1), 0);
  EXPECT_EQ(FindListener(ntohs(address.sin6_port)), "os_process_test (pid " + std::to_string(::getpid()) + ")");
}

}  // namespace
}  // namespace howdah::os::process
