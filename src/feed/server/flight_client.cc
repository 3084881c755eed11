#include "flight_client.h"

#include <grpcpp/client_context.h>
#include <grpcpp/completion_queue.h>
#include <grpcpp/generic/generic_stub.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "flight_channel.h"
#include "flight_data.h"

namespace howdah::feed::server {
namespace {

namespace flight = arrow::flight::protocol;

constexpr char kDoGet[] = "/arrow.flight.protocol.FlightService/DoGet";

}  // namespace

// One Get, on a thread of its own. Waiting for one operation at a time, it needs no state between operations.
class FlightClient::Transfer {
 public:
  // Both are called on the thread. on_done is its last action.
  struct Handlers {
    std::function<void(const std::string& schema, ArrowBlock)> on_block;  // Taken follows
    std::function<void(Status)> on_done;
  };

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
    {
      const std::lock_guard lock(mutex_);
      ends_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  void Start(Handlers handlers) {
    thread_ = std::thread([this, handlers = std::move(handlers)] { handlers.on_done(Run(handlers)); });
  }
  // The owner has taken the block.
  void Taken() {
    {
      const std::lock_guard lock(mutex_);
      taken_ = true;
    }
    changed_.notify_one();
  }

 private:
  Status Run(const Handlers& handlers) {
    grpc::GenericStub stub(MakeFlightChannel(target_, ca_certificate_));
    const auto stream = stub.PrepareCall(&context_, kDoGet, &queue_);
    stream->StartCall(nullptr);
    bool open = Wait();
    if (open) {
      stream->WriteLast(EncodeMessage(ticket_), {}, nullptr);
      open = Wait();
    }
    Status damaged;
    while (open && damaged.ok()) {
      grpc::ByteBuffer message;
      stream->Read(&message, nullptr);
      open = Wait();
      if (open) damaged = Take(message, handlers);
    }
    if (!damaged) context_.TryCancel();
    grpc::Status status;
    stream->Finish(&status, nullptr);
    Wait();
    queue_.Shutdown();
    if (!damaged) return damaged.error().While(what_);
    if (silent_) return Error{ErrorCode::kTimeout, what_ + ": no data for " + FormatDuration(silence_)};
    if (status.ok()) return {};
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

  // Returns when the owner has taken the block, or ends this transfer.
  Status Take(const grpc::ByteBuffer& message, const Handlers& handlers) {
    auto received = DecodeData(message);
    if (!received) return Failed("a message is not a FlightData");
    if (schema_.empty()) {
      HOWDAH_TRY(const auto header, ReadArrowHeader(received->data.data_header()));
      if (header.kind != ArrowHeader::Kind::kSchema) return Failed("the first message has no Arrow schema");
      schema_ = std::move(*received->data.mutable_data_header());
      return {};
    }
    HOWDAH_TRY(auto block, TakeBlock(received->data, std::move(received->body)));
    handlers.on_block(schema_, std::move(block));
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return ends_ || taken_; });
    taken_ = false;
    return {};
  }

  const std::string what_, target_, ca_certificate_;
  const Duration silence_;
  grpc::ClientContext context_;
  grpc::CompletionQueue queue_;
  flight::Ticket ticket_;
  std::string schema_;   // used on the thread
  bool silent_ = false;  // used on the thread
  std::mutex mutex_;
  std::condition_variable changed_;
  bool taken_ = false, ends_ = false;  // guarded by mutex_
  std::thread thread_;
};

FlightClient::FlightClient(const rpc::Identity& identity, rpc::Post post, Duration silence)
    : ca_certificate_(identity.ca_certificate), post_(std::move(post)), silence_(silence) {}

FlightClient::~FlightClient() = default;

void FlightClient::Get(const FlightAddress& address, const std::string& token, const GetTarget& get, OnBlock on_block,
                       OnDone on_done) {
  const uint64_t id = ++last_;
  auto& transfer = transfers_[id] =
      std::make_unique<Transfer>(FlightTarget(address), ca_certificate_, token, get, silence_);
  const auto alive = std::weak_ptr(alive_);
  transfer->Start({.on_block =
                       [this, id, post = post_, alive, on_block = std::move(on_block)](const std::string& schema,
                                                                                       ArrowBlock block) {
                         post([this, id, alive, on_block, schema, block = std::move(block)]() mutable {
                           if (alive.expired()) return;
                           on_block(schema, std::move(block));
                           transfers_.at(id)->Taken();
                         });
                       },
                   .on_done =
                       [this, id, post = post_, alive, on_done = std::move(on_done)](Status result) {
                         post([this, id, alive, on_done, result = std::move(result)] {
                           if (alive.expired()) return;
                           transfers_.erase(id);
                           on_done(result);
                         });
                       }});
}

}  // namespace howdah::feed::server
