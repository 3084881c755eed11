#include "flight_client.h"

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/completion_queue.h>

#include <chrono>
#include <thread>
#include <utility>

#include "arrow_header.h"
#include "flight_channel.h"
#include "howdah/wire/flight.grpc.pb.h"

namespace howdah::feed::server {
namespace {

namespace flight = arrow::flight::protocol;

}  // namespace

// One Get, on a thread of its own. Waiting for one operation at a time, it needs no state between operations.
class FlightClient::Transfer {
 public:
  Transfer(std::string target, const std::string& ca_certificate, const std::string& token, const GetTarget& get,
           Duration silence)
      : what_("getting rows of the feed '" + get.feed + "' from the executor at " + target),
        target_(std::move(target)),
        ca_certificate_(ca_certificate),
        silence_(silence) {
    context_.AddMetadata("authorization", "Bearer " + token);
    ticket_.set_ticket(TicketText(get));
  }
  // Cancels the call and waits for the thread.
  ~Transfer() {
    context_.TryCancel();
    thread_.join();
  }
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  // on_done is called on the thread, as its last action.
  void Start(std::function<void(Result<Blocks>)> on_done) {
    thread_ = std::thread([this, on_done = std::move(on_done)] { on_done(Run()); });
  }

 private:
  Result<Blocks> Run() {
    const auto stub = flight::FlightService::NewStub(MakeFlightChannel(target_, ca_certificate_));
    const auto stream = stub->AsyncDoGet(&context_, ticket_, &queue_, nullptr);
    Status damaged;
    Blocks blocks;
    if (Wait()) {
      flight::FlightData message;
      for (stream->Read(&message, nullptr); Wait(); stream->Read(&message, nullptr)) {
        damaged = Take(message, blocks);
        if (!damaged) break;
        message.Clear();
      }
    }
    if (!damaged) context_.TryCancel();
    grpc::Status status;
    stream->Finish(&status, nullptr);
    Wait();
    queue_.Shutdown();
    if (!damaged) return damaged.error().While(what_);
    if (silent_) return Error{ErrorCode::kTimeout, what_ + ": no data for " + FormatDuration(silence_)};
    if (status.ok()) return blocks;
    const bool gone = status.error_code() == grpc::StatusCode::UNAVAILABLE;
    return Error{gone ? ErrorCode::kUnavailable : ErrorCode::kFailed, what_ + ": " + status.error_message()};
  }

  // Waits for the pending operation. Cancels the call if it takes too long. Returns whether it succeeded.
  bool Wait() {
    void* tag = nullptr;
    bool ok = false;
    const auto limit = std::chrono::system_clock::now() + silence_;
    if (queue_.AsyncNext(&tag, &ok, limit) == grpc::CompletionQueue::TIMEOUT) {
      silent_ = true;
      context_.TryCancel();
      queue_.Next(&tag, &ok);
    }
    return ok && !silent_;
  }

  static Status Take(flight::FlightData& message, Blocks& blocks) {
    if (blocks.first.empty()) {
      HOWDAH_TRY(const auto header, ReadArrowHeader(message.data_header()));
      if (header.kind != ArrowHeader::Kind::kSchema) return Failed("the first message has no Arrow schema");
      blocks.first = std::move(*message.mutable_data_header());
      return {};
    }
    HOWDAH_TRY(auto block, TakeBlock(message));
    blocks.second.push_back(std::move(block));
    return {};
  }

  const std::string what_, target_, ca_certificate_;
  const Duration silence_;
  grpc::ClientContext context_;
  grpc::CompletionQueue queue_;
  flight::Ticket ticket_;
  bool silent_ = false;  // used on the thread
  std::thread thread_;
};

FlightClient::FlightClient(const rpc::Identity& identity, rpc::Post post, Duration silence)
    : ca_certificate_(identity.ca_certificate), post_(std::move(post)), silence_(silence) {}

FlightClient::~FlightClient() = default;

void FlightClient::Get(const FlightAddress& address, const std::string& token, const GetTarget& get,
                       std::function<void(Result<Blocks>)> on_done) {
  const uint64_t id = ++last_;
  auto& transfer = transfers_[id] =
      std::make_unique<Transfer>(FlightTarget(address), ca_certificate_, token, get, silence_);
  transfer->Start(
      [this, id, post = post_, alive = std::weak_ptr(alive_), on_done = std::move(on_done)](Result<Blocks> result) {
        // std::function requires a copyable closure.
        auto shared = std::make_shared<Result<Blocks>>(std::move(result));
        post([this, id, alive, on_done, shared] {
          if (alive.expired()) return;
          transfers_.erase(id);
          on_done(std::move(*shared));
        });
      });
}

}  // namespace howdah::feed::server
