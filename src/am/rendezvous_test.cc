// Tests the rendezvous servers over loopback, also with a client that does not belong to the job.
#include "rendezvous.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <future>
#include <thread>

#include "howdah/os/process/clock.h"

namespace howdah::am {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using testing::StartsWith;

// A rendezvous whose loop runs on its own thread.
class Served {
 public:
  explicit Served(jobspec::Framework framework, std::string peer = "127.0.0.1") : peer_(std::move(peer)) {
    spec_.framework = framework;
    spec_.roles.resize(1);
    rendezvous_ = std::make_unique<Rendezvous>(
        loop_, clock_, "127.0.0.1", rpc::Peers::kSameUser, spec_, [](int, const std::string&) {},
        [](const core::RendezvousReported&) {});
    thread_ = std::thread([this] { loop_.run(); });
  }
  ~Served() {
    asio::post(loop_, [this] { rendezvous_.reset(), loop_.stop(); });
    thread_.join();
  }
  // The port of the generation's server; 0 if there is none.
  uint16_t Port(int generation) {
    std::promise<uint16_t> port;
    asio::post(loop_, [&] {
      const auto where = rendezvous_->For(generation, {{{peer_, 1}}});
      port.set_value(where.ok() && *where ? (*where)->port : 0);
    });
    return port.get_future().get();
  }

 private:
  jobspec::JobSpec spec_;
  std::string peer_;
  asio::io_context loop_;
  os::process::Clock clock_;
  asio::executor_work_guard<asio::io_context::executor_type> work_ = asio::make_work_guard(loop_);
  std::unique_ptr<Rendezvous> rendezvous_;
  std::thread thread_;
};

// Sends the bytes. Returns at most `limit` bytes of what the server sends before it closes the connection, or "refused"
// if no server listens.
std::string Ask(uint16_t port, const std::string& bytes, size_t limit = 4096) {
  asio::io_context loop;
  tcp::socket socket(loop);
  boost::system::error_code failed;
  socket.connect({asio::ip::address_v4::loopback(), port}, failed);
  if (failed) return "refused";
  asio::write(socket, asio::buffer(bytes), failed);
  std::string answer(limit, '\0');
  answer.resize(asio::read(socket, asio::buffer(answer), failed));
  return answer;
}

constexpr char kPut[] = "PUT /global/0 HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nv";
constexpr char kGet[] = "GET /global/0 HTTP/1.1\r\nHost: x\r\n\r\n";
const std::string kMagic = {'\x99', '\xff', '\0', '\0'};

TEST(Rendezvous, EachGenerationHasItsOwnServer) {
  Served served(jobspec::Framework::kHorovod);
  const uint16_t first = served.Port(0);
  EXPECT_EQ(served.Port(0), first);
  EXPECT_THAT(Ask(first, kPut), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(Ask(first, kGet), testing::EndsWith("\r\n\r\nv"));
  const uint16_t second = served.Port(1);
  EXPECT_EQ(Ask(first, kGet), "refused");
  EXPECT_THAT(Ask(second, kGet), StartsWith("HTTP/1.1 404 "));
}

TEST(Rendezvous, OnlyHostsOfTheJobAreAccepted) {
  Served horovod(jobspec::Framework::kHorovod, "127.0.0.2");
  EXPECT_EQ(Ask(horovod.Port(0), kPut), "");
  Served xgboost(jobspec::Framework::kXgboost, "127.0.0.2");
  EXPECT_EQ(Ask(xgboost.Port(0), kMagic), "");
}

TEST(Rendezvous, StoreLimitDependsOnNumberOfProcesses) {
  EXPECT_EQ(StoreLimit(1), size_t{1 << 20} + (256 << 10) + (1 << 10));
  EXPECT_EQ(StoreLimit(100'000), size_t{256} << 20);
  Served served(jobspec::Framework::kHorovod);
  const uint16_t port = served.Port(0);
  const auto put = [&](const std::string& name, size_t size) {
    return Ask(port, "PUT /global/" + name + " HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(size) +
                         "\r\n\r\n" + std::string(size, 'x'));
  };
  EXPECT_THAT(put("0", 1 << 20), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(put("1", 1 << 20), StartsWith("HTTP/1.1 507 "));
}

TEST(Rendezvous, ConnectionWithAnInvalidProtocolIsClosedAndTheNextIsServed) {
  Served served(jobspec::Framework::kXgboost);
  EXPECT_EQ(Ask(served.Port(0), kGet), kMagic);
  EXPECT_EQ(Ask(served.Port(0), kMagic, kMagic.size()), kMagic);
}

TEST(Rendezvous, PytorchJobHasNoRendezvousServer) {
  Served served(jobspec::Framework::kPytorch);
  EXPECT_EQ(served.Port(0), 0);
}

}  // namespace
}  // namespace howdah::am
