// The rendezvous server of Horovod: serves frameworks::horovod::KeyValueStore over HTTP.
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <unordered_map>

#include "howdah/frameworks/horovod/key_value_store.h"
#include "howdah/os/http/server.h"
#include "howdah/os/process/clock.h"
#include "rendezvous.h"

namespace howdah::am {
namespace {

using frameworks::horovod::KeyValueStore;

// A process puts a value with about 64 bytes for each other process, so the limit suffices for 16,000 processes.
constexpr size_t kValueBytes = size_t{1} << 20;

class KeyValueServer final : public RendezvousServer {
 public:
  KeyValueServer(boost::asio::io_context& loop, const os::process::Clock& clock, Options options)
      : options_(std::move(options)), clock_(clock), timer_(loop) {}

  Status Listen(boost::asio::io_context& loop) {
    os::http::Server::Limits limits;
    limits.body_bytes = kValueBytes;
    limits.connections = 2 * static_cast<size_t>(options_.processes) + 32;  // each process has one connection at a time
    limits.known = [this](int socket, const std::string& peer) { return IsClient(options_, socket, peer); };
    limits.strangers = 0;
    HOWDAH_TRY(server_, os::http::Server::Start(
                            loop, options_.host,
                            [this](const os::http::Request& request, Respond respond) {
                              OnRequest(request, std::move(respond));
                            },
                            limits));
    return {};
  }
  uint16_t port() const override { return server_->port(); }

 private:
  using Respond = std::function<void(os::http::Response)>;

  void OnRequest(const os::http::Request& request, Respond respond) {
    const KeyValueStore::RequestId id = ++last_id_;
    asked_.emplace(id, std::move(respond));
    Perform(store_.OnRequest(id, {request.method, request.path, request.body}, clock_.Now()));
  }

  void Perform(std::vector<KeyValueStore::Answer> answers) {
    for (KeyValueStore::Answer& answer : answers) {
      const auto asked = asked_.extract(answer.request);
      asked.mapped()({answer.status, "application/octet-stream", std::move(answer.body), ""});
    }
    const auto deadline = store_.NextDeadline();
    if (!deadline) return void(timer_.cancel());
    timer_.expires_after(std::max(Duration::zero(), *deadline - clock_.Now()));
    timer_.async_wait([this](const boost::system::error_code& error) {
      if (!error) Perform(store_.OnTime(clock_.Now()));
    });
  }

  const Options options_;
  const os::process::Clock& clock_;
  KeyValueStore store_{StoreLimit(options_.processes)};
  KeyValueStore::RequestId last_id_ = 0;
  std::unordered_map<KeyValueStore::RequestId, Respond> asked_;
  boost::asio::steady_timer timer_;
  std::unique_ptr<os::http::Server> server_;
};

}  // namespace

Result<std::unique_ptr<RendezvousServer>> StartKeyValueServer(boost::asio::io_context& loop,
                                                              const os::process::Clock& clock,
                                                              RendezvousServer::Options options) {
  auto server = std::make_unique<KeyValueServer>(loop, clock, std::move(options));
  HOWDAH_TRY_STATUS(server->Listen(loop));
  return std::unique_ptr<RendezvousServer>(std::move(server));
}

}  // namespace howdah::am
