// Tests the rendezvous of elastic Horovod over loopback, and the notices sent to its processes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/evp.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <functional>

#include "horovod_notice.h"
#include "howdah/os/process/clock.h"
#include "rendezvous.h"

namespace howdah::am {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using testing::ElementsAre;
using testing::EndsWith;
using testing::IsEmpty;

// Formats a report, for example "0:3 attempt 2 rejoining".
std::string ToText(const core::RendezvousReported& reported) {
  static const char* const kSteps[] = {"ready", "joined", "rejoining", "unreachable"};
  return std::to_string(reported.task.role) + ":" + std::to_string(reported.task.index) + " attempt " +
         std::to_string(reported.attempt) + " " + kSteps[static_cast<size_t>(reported.step)];
}

const tcp::endpoint kAnyPort(asio::ip::address_v4::loopback(), 0);
// The value ({'lo': [('127.0.0.1', 15791)]}, key) as horovod 0.28.1 puts it.
constexpr char kPut[] =
    "gAWVQgAAAAAAAAB9lIwCbG+UXZSMCTEyNy4wLjAuMZRNrz2GlGFzQyD8E8rxom+ZF0pKdbs2nF+tGp21Hsid4ds4ctpPn8Y+mZSGlC4=";

TEST(HorovodNotice, AddressIsDecodedFromTheValuePutByAProcess) {
  const auto address = DecodeNoticeAddress(kPut);
  ASSERT_TRUE(address);
  EXPECT_EQ(address->port, 15791);
  EXPECT_EQ(address->key.size(), 32u);
  for (const std::string body : {"", "gAW", "????", "gAWV"}) EXPECT_FALSE(DecodeNoticeAddress(body)) << body;
}

// The expected HMAC was computed with Python's module hmac.
TEST(HorovodNotice, MessageIsSignedWithTheProcessKey) {
  const std::string sealed = Sealed(std::string(32, 'k'), "notice");
  EXPECT_EQ(sealed.size(), 42u);
  EXPECT_THAT(sealed, EndsWith(std::string("\x06\0\0\0notice", 10)));
  std::string hex;
  for (const unsigned char byte : sealed.substr(0, 32)) {
    hex += "0123456789abcdef"[byte / 16];
    hex += "0123456789abcdef"[byte % 16];
  }
  EXPECT_EQ(hex, "1a9270a3bbcee374d9516628266303ba84e321fef7861b35ba50e6dd710828a5");
}

// Runs the loop until the condition holds.
void RunUntil(asio::io_context& loop, const std::function<bool()>& condition) {
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!condition() && std::chrono::steady_clock::now() < limit) loop.run_one_for(std::chrono::seconds(1));
  EXPECT_TRUE(condition());
}

// A process that listens for notices. It receives one notice, and answers it or stays silent.
class Listener {
 public:
  Listener(asio::io_context& loop, bool answers) : acceptor_(loop, kAnyPort), socket_(loop), answers_(answers) {
    acceptor_.async_accept(socket_, [this](const boost::system::error_code& failed) {
      if (!failed) Read();
    });
  }
  uint16_t port() const { return acceptor_.local_endpoint().port(); }
  const std::string& taken() const { return taken_; }

 private:
  void Read() {
    taken_.resize(Sealed("k", frameworks::horovod::HostsUpdated(0)).size());
    asio::async_read(socket_, asio::buffer(taken_), [this](const boost::system::error_code& failed, size_t) {
      if (failed || !answers_) return socket_.close();
      asio::write(socket_, asio::buffer(answer_));
    });
  }

  tcp::acceptor acceptor_;
  tcp::socket socket_;
  const bool answers_;
  std::string taken_;
  const std::string answer_ = std::string(36, 'a');
};

TEST(HorovodNotice, NoticeIsDeliveredOnlyIfTheProcessAnswers) {
  asio::io_context loop;
  const std::string body = frameworks::horovod::HostsUpdated(7);
  for (const bool answers : {true, false}) {
    Listener listener(loop, answers);
    std::optional<bool> answered;
    SendNotice(loop, "127.0.0.1", {listener.port(), "k"}, body, [&](bool h) { answered = h; });
    RunUntil(loop, [&] { return answered.has_value(); });
    EXPECT_EQ(answered, answers);
    EXPECT_EQ(listener.taken(), Sealed("k", body));
  }
  uint16_t unused_port = 0;
  {
    const tcp::acceptor closed(loop, kAnyPort);
    unused_port = closed.local_endpoint().port();
  }
  std::optional<bool> answered;
  SendNotice(loop, "127.0.0.1", {unused_port, "k"}, body, [&](bool h) { answered = h; });
  RunUntil(loop, [&] { return answered.has_value(); });
  EXPECT_EQ(answered, false);
}

// An elastic job with one role on this machine.
class Job {
 public:
  Job() {
    spec_.framework = jobspec::Framework::kHorovod;
    spec_.roles.resize(1);
    spec_.roles[0].name = "worker";
    spec_.roles[0].instances = {1, 2};
    rendezvous_ = std::make_unique<Rendezvous>(
        loop_, clock_, "127.0.0.1", rpc::Peers::kSameUser, spec_, [](int, const std::string&) {},
        [this](const core::RendezvousReported& reported) { steps_.push_back(ToText(reported)); });
  }
  core::PeerGroup Peers(size_t tasks) const { return {std::vector<HostPort>(tasks, {"127.0.0.1", 1})}; }
  uint16_t Port(int generation) { return (*rendezvous_->For(generation, Peers(1)))->port; }
  Rendezvous& rendezvous() { return *rendezvous_; }
  asio::io_context& loop() { return loop_; }
  const std::vector<std::string>& reached() const { return steps_; }

  // Sends a request. The returned string is empty until the loop has received the answer.
  std::shared_ptr<std::string> Ask(const std::string& request) {
    auto socket = std::make_shared<tcp::socket>(loop_);
    auto answer = std::make_shared<std::string>(), read = std::make_shared<std::string>();
    socket->connect({asio::ip::address_v4::loopback(), Port(0)});
    asio::write(*socket, asio::buffer(request));
    asio::async_read(*socket, asio::dynamic_buffer(*read),
                     [socket, read, answer](const boost::system::error_code&, size_t) {
                       *answer = *read;
                       socket->close();
                     });
    return answer;
  }

 private:
  asio::io_context loop_;
  os::process::Clock clock_;
  jobspec::JobSpec spec_;
  std::vector<std::string> steps_;
  std::unique_ptr<Rendezvous> rendezvous_;
};

std::string Get(const std::string& path) { return "GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n"; }
std::string Put(const std::string& path, const std::string& body) {
  return "PUT " + path + " HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

TEST(ElasticRendezvousServer, SlotRequestIsAnsweredWhenTheSlotIsKnown) {
  Job job;
  EXPECT_EQ(job.Port(0), job.Port(1)) << "continuing processes know only this address";
  job.rendezvous().Start({{"c"}, {0, 3}, /*attempt=*/2, /*generation=*/0, /*slot=*/0}, job.Peers(1));
  const auto answer = job.Ask(Get("/rank_and_size/worker-0.0:0"));
  RunUntil(job.loop(), [&] { return !job.reached().empty(); });
  EXPECT_THAT(job.reached(), ElementsAre("0:3 attempt 2 rejoining"));
  EXPECT_THAT(*answer, IsEmpty());
  job.rendezvous().Rejoin({.task = {0, 3}, .attempt = 2, .generation = 1, .slot = 1}, job.Peers(2));
  RunUntil(job.loop(), [&] { return !answer->empty(); });
  EXPECT_THAT(*answer, EndsWith("\r\n\r\n1,2,0,1,1,2"));
}

TEST(ElasticRendezvousServer, ProcessIsNotifiedAtItsRegisteredAddress) {
  Job job;
  Listener listener(job.loop(), /*answers=*/true);
  job.Port(0);
  job.rendezvous().Start({{"c"}, {0, 0}, /*attempt=*/0, /*generation=*/0, /*slot=*/0}, job.Peers(1));
  job.rendezvous().Ask({{0, 0}, 0});
  EXPECT_THAT(job.reached(), ElementsAre("0:0 attempt 0 unreachable")) << "the process has not registered an address";
  std::string pickled = std::string("\x80\x04}\x8c\x02lo]\x8c\x01hM", 12);
  pickled += static_cast<char>(listener.port() & 255);
  pickled += static_cast<char>(listener.port() >> 8);
  pickled +=
      "\x86"
      "as"
      "C\x01k\x86.";
  std::string body(pickled.size() * 2, '\0');
  body.resize(static_cast<size_t>(EVP_EncodeBlock(reinterpret_cast<unsigned char*>(body.data()),
                                                  reinterpret_cast<const unsigned char*>(pickled.data()),
                                                  static_cast<int>(pickled.size()))));
  const auto put = job.Ask(Put("/worker_addresses/worker-0.0:0", body));
  RunUntil(job.loop(), [&] { return !put->empty(); });
  job.rendezvous().Ask({{0, 0}, 0});
  RunUntil(job.loop(), [&] { return !listener.taken().empty(); });
}

}  // namespace
}  // namespace howdah::am
