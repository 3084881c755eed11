#include "howdah/os/net/resolve.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <functional>
#include <optional>
#include <thread>

#include "dns.h"
#include "howdah/os/net/lookup.h"
#include "owned_fd.h"

namespace howdah::os::net {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

std::vector<std::string> Ips(const Result<std::vector<SocketAddress>>& addresses) {
  std::vector<std::string> ips;
  if (!addresses) return {addresses.error().message};
  for (const SocketAddress& address : *addresses) ips.push_back(address.ip());
  return ips;
}

TEST(Resolve, AddressesAndLocalhostNeedNoLookup) {
  using Texts = std::vector<std::string>;
  EXPECT_EQ(Ips(Resolve({"10.1.2.3", 80}, seconds(0))), Texts{"10.1.2.3"});
  EXPECT_EQ(Ips(Resolve({"::1", 80}, seconds(0))), Texts{"::1"});
  EXPECT_EQ(Ips(Resolve({"localhost", 80}, seconds(0))), (Texts{"127.0.0.1", "::1"}));
  EXPECT_EQ(Resolve({"10.1.2.3", 8032}, seconds(0))->front().port(), 8032);
  Lookup lookup({"10.1.2.3", 80}, seconds(0));
  EXPECT_EQ(lookup.fd(), -1);
  EXPECT_EQ(Ips(lookup.Take()), Texts{"10.1.2.3"});
}

// A name server on loopback that answers each query as the test requires. Without an `Answers` function it does not
// answer.
class NameServer {
 public:
  // Returns the records for a query of `type` (1: A, 28: AAAA), each an address in bytes, or nullopt if there is no
  // such name.
  using Answers = std::function<std::optional<std::vector<std::string>>(uint16_t type)>;

  explicit NameServer(Answers answers)
      : answers_(std::move(answers)), fd_(socket(AF_INET, SOCK_DGRAM, 0)), end_(eventfd(0, 0)) {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(bind(fd_.get(), reinterpret_cast<sockaddr*>(&at), sizeof at), 0);
    socklen_t size = sizeof at;
    getsockname(fd_.get(), reinterpret_cast<sockaddr*>(&at), &size);
    port_ = ntohs(at.sin_port);
    if (answers_) thread_ = std::thread([this] { Run(); });
  }
  ~NameServer() {
    eventfd_write(end_.get(), 1);
    if (thread_.joinable()) thread_.join();
  }
  DnsOptions options() const { return {.servers = "127.0.0.1:" + std::to_string(port_)}; }

 private:
  void Run() {
    for (;;) {
      pollfd polled[] = {{fd_.get(), POLLIN, 0}, {end_.get(), POLLIN, 0}};
      poll(polled, 2, -1);
      if (polled[1].revents != 0) return;
      char question[512];
      sockaddr_in from{};
      socklen_t size = sizeof from;
      const ssize_t got = recvfrom(fd_.get(), question, sizeof question, 0, reinterpret_cast<sockaddr*>(&from), &size);
      const std::string answer = Answer(std::string(question, static_cast<size_t>(got)));
      sendto(fd_.get(), answer.data(), answer.size(), 0, reinterpret_cast<sockaddr*>(&from), size);
    }
  }

  // The format of RFC 1035: the header, a copy of the question, the records. The name of each record is a pointer to
  // byte 12, the name in the question.
  std::string Answer(const std::string& question) const {
    size_t end = 12;
    while (question[end] != 0) end += 1 + static_cast<size_t>(question[end]);
    const auto type = static_cast<uint16_t>(question[end + 2]);
    const auto records = answers_(type);
    std::string answer = question.substr(0, 2) + '\x81' + (records ? '\x80' : '\x83') + std::string("\0\1\0", 3);
    answer += static_cast<char>(records ? records->size() : 0);
    answer += std::string(4, '\0') + question.substr(12, end + 5 - 12);
    for (const std::string& record : records.value_or(std::vector<std::string>())) {
      answer += std::string("\xc0\x0c\0", 3) + static_cast<char>(type) + std::string("\0\1\0\0\0\0\0", 7);
      answer += static_cast<char>(record.size());
      answer += record;
    }
    return answer;
  }

  Answers answers_;
  OwnedFd fd_, end_;
  uint16_t port_ = 0;
  std::thread thread_;
};

const std::string kV6 = std::string("\xfd\0\0\0\0\0\0\0\0\0\0\0\0\0\0\7", 16);

TEST(AskDns, Ipv4AddressesComeFirst) {
  NameServer server([](uint16_t type) {
    return type == 1 ? std::vector<std::string>{std::string("\x0a\0\0\7", 4), std::string("\x0a\0\0\x08", 4)}
                     : std::vector<std::string>{kV6};
  });
  EXPECT_EQ(Ips(AskDns({"rm.howdah.invalid.", 8032}, seconds(20), server.options())),
            (std::vector<std::string>{"10.0.0.7", "10.0.0.8", "fd00::7"}));
  for (const uint16_t port : {0, 8032}) {
    const auto addresses = AskDns({"rm.howdah.invalid.", port}, seconds(20), server.options());
    ASSERT_TRUE(addresses);
    for (const SocketAddress& address : *addresses) EXPECT_EQ(address.port(), port);
  }
}

TEST(AskDns, UnknownNameIsNotFound) {
  NameServer server([](uint16_t) { return std::nullopt; });
  const auto answer = AskDns({"rm.howdah.invalid.", 8032}, seconds(20), server.options());
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error(), (Error{ErrorCode::kNotFound, "looking up the host rm.howdah.invalid.: no such name"}));
}

TEST(AskDns, SilentServerTimesOut) {
  NameServer silent(nullptr);
  const auto answer = AskDns({"rm.howdah.invalid.", 8032}, milliseconds(50), silent.options());
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kTimeout);
}

TEST(AskDns, LookupIsCancelled) {
  NameServer silent(nullptr);
  OwnedFd cancel(eventfd(1, 0));
  DnsOptions options = silent.options();
  options.cancel_fd = cancel.get();
  const auto answer = AskDns({"rm.howdah.invalid.", 8032}, std::chrono::hours(1), options);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kTimeout);
}

// A name in the format of RFC 1035.
std::string Encoded(const std::vector<std::string>& labels) {
  std::string name;
  for (const std::string& label : labels) name += static_cast<char>(label.size()) + label;
  return name + '\0';
}

std::string Service(int priority, int weight, int port, const std::string& host) {
  std::string record;
  for (const int number : {priority, weight, port}) {
    record += static_cast<char>(number >> 8);
    record += static_cast<char>(number);
  }
  return record + Encoded({host, "howdah", "invalid"});
}

TEST(AskForServices, RecordsAreOrderedByPriorityThenWeight) {
  NameServer server([](uint16_t type) {
    EXPECT_EQ(type, 33);
    return std::vector<std::string>{Service(20, 0, 88, "last"), Service(10, 1, 750, "second"),
                                    Service(10, 9, 88, "first")};
  });
  const auto found = AskForServices("_kerberos._tcp.HOWDAH.INVALID.", seconds(20), server.options());
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(*found, (std::vector<HostPort>{
                        {"first.howdah.invalid", 88}, {"second.howdah.invalid", 750}, {"last.howdah.invalid", 88}}));
}

TEST(AskForServices, MissingRecordsAreNotFound) {
  NameServer server([](uint16_t) { return std::nullopt; });
  const auto found = AskForServices("_kerberos._tcp.HOWDAH.INVALID.", seconds(20), server.options());
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ErrorCode::kNotFound);
  NameServer silent(nullptr);
  EXPECT_EQ(AskForServices("_kerberos._tcp.HOWDAH.INVALID.", milliseconds(50), silent.options()).error().code,
            ErrorCode::kTimeout);
}

TEST(AskForName, NameOfAnAddressIsReturned) {
  NameServer server([](uint16_t type) {
    EXPECT_EQ(type, 12);
    return std::vector<std::string>{Encoded({"rm1", "howdah", "invalid"})};
  });
  const auto address = Resolve({"10.0.0.7", 0}, seconds(0))->front();
  const auto name = AskForName(address, seconds(20), server.options());
  ASSERT_TRUE(name) << name.error().message;
  EXPECT_EQ(*name, "rm1.howdah.invalid");
}

TEST(Lookup, DestructorCancelsPendingLookup) {
  // The destructor must cancel the pending lookup without blocking, even if the machine's name servers do not answer.
  Lookup lookup({"rm.howdah.invalid.", 8032}, std::chrono::hours(1));
  EXPECT_GE(lookup.fd(), 0);
}

TEST(Lookup, HostsFileIsUsed) {
  char name[256] = "";
  ASSERT_EQ(gethostname(name, sizeof name), 0);
  Lookup lookup({name, 80}, seconds(5));
  if (lookup.fd() < 0) return;  // the host name is an IP address
  pollfd polled{lookup.fd(), POLLIN, 0};
  EXPECT_EQ(poll(&polled, 1, 60'000), 1);
  const auto mine = lookup.Take(), again = Resolve({name, 80}, seconds(5));
  EXPECT_EQ(Ips(mine), Ips(again));
}

}  // namespace
}  // namespace howdah::os::net
