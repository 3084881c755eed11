// The rendezvous server of elastic Horovod: serves frameworks::horovod::ElasticRendezvous over HTTP, and sends notices
// to the job's processes.
#include <algorithm>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <unordered_map>
#include <utility>

#include "horovod_notice.h"
#include "howdah/os/http/server.h"
#include "howdah/os/process/clock.h"
#include "rendezvous.h"

namespace howdah::am {
namespace {

using frameworks::horovod::ElasticRendezvous;

constexpr size_t kElasticValueBytes = size_t{1} << 20;
constexpr int kAttempts = 3;
constexpr auto kRetryPause = std::chrono::seconds(1), kRepeatPause = std::chrono::seconds(2);

core::RendezvousReported::Step StepOf(ElasticRendezvous::StepReached::Step step) {
  switch (step) {
    case ElasticRendezvous::StepReached::Step::kReady:
      return core::RendezvousReported::Step::kReady;
    case ElasticRendezvous::StepReached::Step::kJoined:
      return core::RendezvousReported::Step::kJoined;
    case ElasticRendezvous::StepReached::Step::kRejoining:
      break;
  }
  return core::RendezvousReported::Step::kRejoining;
}

class HorovodServer final : public ElasticRendezvousServer {
 public:
  HorovodServer(boost::asio::io_context& loop, const os::process::Clock& clock, Options options, OnReported on_reported)
      : loop_(loop),
        clock_(clock),
        options_(std::move(options)),
        on_reported_(std::move(on_reported)),
        ask_again_(loop) {}

  Status Listen() {
    os::http::Server::Limits limits;
    limits.body_bytes = kElasticValueBytes;
    // The server also counts the connections of processes that have died, so the limit exceeds the number of processes.
    limits.connections = 4 * static_cast<size_t>(options_.processes) + 32;
    limits.known = [this](int socket, const std::string& peer) { return IsClient(options_, socket, peer); };
    limits.strangers = 0;
    HOWDAH_TRY(server_, os::http::Server::Start(
                            loop_, options_.host,
                            [this](const os::http::Request& request, Respond respond) {
                              OnRequest(request, std::move(respond));
                            },
                            limits));
    return {};
  }

  uint16_t port() const override { return server_->port(); }
  void SetPeers(std::set<std::string> peers) override { options_.peers = std::move(peers); }

  void Start(const core::StartTask& order, Assignments assignments) override {
    asked_.reset();
    Answer(rendezvous_.Start(order.generation, order.task, order.attempt, std::move(assignments)));
  }

  void Rejoin(const core::Rejoin& order, Assignments assignments) override {
    asked_.reset();
    Answer(rendezvous_.Rejoin(order.generation, order.task, order.attempt, std::move(assignments)));
  }

  void Ask(const core::RequestRendezvous& order) override {
    asked_ = Asked{order, 0, ++last_ask_};
    SendRequest();
  }

 private:
  using Respond = std::function<void(os::http::Response)>;
  struct Asked {
    core::RequestRendezvous order;
    int failures = 0;
    uint64_t number = 0;
  };

  void OnRequest(const os::http::Request& request, Respond respond) {
    const ElasticRendezvous::RequestId id = ++last_id_;
    requests_.emplace(id, std::move(respond));
    ElasticRendezvous::Output output =
        rendezvous_.OnRequest(id, {{request.method, request.path, request.body}, request.peer}, clock_.Now());
    Answer(std::move(output.answers));
    for (const ElasticRendezvous::StepReached& reached : output.steps) {
      if (reached.step == ElasticRendezvous::StepReached::Step::kRejoining) asked_.reset();
      on_reported_({reached.task, reached.attempt, StepOf(reached.step)});
    }
  }

  void Answer(std::vector<ElasticRendezvous::Answer> answers) {
    for (ElasticRendezvous::Answer& answer : answers) {
      const auto request = requests_.extract(answer.request);
      request.mapped()({answer.status, "application/octet-stream", std::move(answer.body), ""});
    }
  }

  void SendRequest() {
    const ElasticRendezvous::Contact* contact = rendezvous_.ContactOf(asked_->order.task, asked_->order.attempt);
    const auto address = contact != nullptr ? DecodeNoticeAddress(contact->body) : std::nullopt;
    if (!address) return GiveUp();
    const auto now = std::chrono::duration_cast<std::chrono::seconds>(clock_.Now().time_since_epoch()).count();
    last_second_ = std::max<int64_t>(now, last_second_ + 1);
    SendNotice(loop_, contact->peer, *address, frameworks::horovod::HostsUpdated(last_second_),
               [this, alive = std::weak_ptr(alive_), number = asked_->number](bool answered) {
                 if (!alive.expired() && asked_ && asked_->number == number) OnSent(answered);
               });
  }

  void OnSent(bool answered) {
    asked_->failures = answered ? 0 : asked_->failures + 1;
    if (asked_->failures == kAttempts) return GiveUp();
    ask_again_.expires_after(answered ? kRepeatPause : kRetryPause);
    ask_again_.async_wait([this, number = asked_->number](const boost::system::error_code& error) {
      if (!error && asked_ && asked_->number == number) SendRequest();
    });
  }

  void GiveUp() {
    const core::RequestRendezvous order = std::exchange(asked_, std::nullopt)->order;
    on_reported_({order.task, order.attempt, core::RendezvousReported::Step::kUnreachable});
  }

  boost::asio::io_context& loop_;
  const os::process::Clock& clock_;
  Options options_;
  const OnReported on_reported_;
  ElasticRendezvous rendezvous_{StoreLimit(options_.processes)};
  ElasticRendezvous::RequestId last_id_ = 0;
  std::unordered_map<ElasticRendezvous::RequestId, Respond> requests_;
  std::optional<Asked> asked_;  // the pending request to leave a generation; reset when a process rejoins
  uint64_t last_ask_ = 0;
  int64_t last_second_ = 0;  // time stamp of the last notice, in seconds
  boost::asio::steady_timer ask_again_;
  std::unique_ptr<os::http::Server> server_;
  std::shared_ptr<char> alive_ = std::make_shared<char>();
};

}  // namespace

Result<std::unique_ptr<ElasticRendezvousServer>> StartElasticRendezvousServer(
    boost::asio::io_context& loop, const os::process::Clock& clock, RendezvousServer::Options options,
    ElasticRendezvousServer::OnReported on_reported) {
  auto server = std::make_unique<HorovodServer>(loop, clock, std::move(options), std::move(on_reported));
  HOWDAH_TRY_STATUS(server->Listen());
  return std::unique_ptr<ElasticRendezvousServer>(std::move(server));
}

}  // namespace howdah::am
