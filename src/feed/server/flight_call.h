// One call of a client of the Flight server.
#pragma once

#include <grpcpp/generic/async_generic_service.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "arrow_header.h"
#include "flight_data.h"
#include "howdah/rpc/completions.h"

namespace howdah::feed::server {

// The status of a call that ends with this result.
grpc::Status ToGrpc(const Status& status);

// Used on the loop, except Decode. Every operation calls Owner as its last action, because Owner may destroy the call.
class FlightCall {
 public:
  class Owner {
   public:
    virtual void OnAccepted(FlightCall& call) = 0;   // a client has opened the call
    virtual void OnMessage(FlightCall& call) = 0;    // the message that Read requested
    virtual void OnNoMessage(FlightCall& call) = 0;  // the client sends nothing more
    virtual void OnSent(FlightCall& call) = 0;       // fewer bytes are unsent than before
    virtual void OnCancelled(FlightCall& call) = 0;  // the client is gone
    virtual void OnOver(FlightCall& call) = 0;       // the call has ended, and gRPC holds no operation of it

   protected:
    ~Owner() = default;
  };
  enum class Method { kOther, kPut, kGet, kAction, kExchange };

  // The content of the call. Filled by the owner.
  struct Subject {
    Method method = Method::kOther;
    std::string token;
    std::optional<PutTarget> target;  // of kPut and kExchange, after the first message. kExchange has only the feed
    std::string schema;               // of kPut and kExchange: received; of kGet: sent
    bool acting = false;              // of kAction, kExchange and plain calls: the handler has the call
    bool plain = false;               // of kPut: the client numbers no rows
    int64_t rows = 0;                 // received by a plain call
    size_t queue = 0;                 // the number of the completion queue
    std::function<void()> when_room;  // of kGet: called when few bytes are left to send
  };

  FlightCall(uint64_t id, Owner* owner) : id_(id), owner_(owner) {}
  FlightCall(const FlightCall&) = delete;
  FlightCall& operator=(const FlightCall&) = delete;

  // Waits for a client that opens the call.
  void Await(grpc::AsyncGenericService& service, grpc::ServerCompletionQueue* queue);
  // Reads one message; OnMessage or OnNoMessage follows. One read at a time.
  void Read();
  void Write(grpc::ByteBuffer message);
  // Ends the call after the queued messages were sent.
  void End(grpc::Status status);

  uint64_t id() const { return id_; }
  const grpc::GenericServerContext& context() const { return context_; }
  Subject& subject() { return subject_; }
  bool accepted() const { return state_.accepted; }
  bool open() const { return !state_.ending; }
  bool ended() const { return state_.ended; }
  // The bytes of the messages that gRPC has not sent yet.
  int64_t unsent() const { return output_.unsent; }
  // The message that was read: data() and TakeBody() for the methods kPut and kExchange, message() for others.
  grpc::ByteBuffer& message() { return input_.bytes; }
  arrow::flight::protocol::FlightData& data() { return input_.data->data; }
  BlockBody TakeBody() { return std::exchange(input_.data->body, {}); }

 private:
  template <void (FlightCall::*kDone)(bool), void (FlightCall::*kReceived)(bool) = nullptr>
  class OperationOf final : public rpc::Operation {
   public:
    explicit OperationOf(FlightCall* call) : call_(call) {}
    void Received(bool ok) override {
      if constexpr (kReceived != nullptr) (call_->*kReceived)(ok);
    }
    void Done(bool ok) override { (call_->*kDone)(ok); }

   private:
    FlightCall* call_;
  };

  // Whether the messages are FlightData.
  bool has_data() const { return subject_.method == Method::kPut || subject_.method == Method::kExchange; }
  void Decode(bool ok);
  void OnRequested(bool ok);
  void OnRead(bool ok);
  void OnWrote(bool ok);
  void OnEnded(bool ok);
  void OnDone(bool ok);
  void WriteNext();
  bool over() const { return state_.ended && pending_ == 0; }

  const uint64_t id_;
  Owner* const owner_;
  grpc::GenericServerContext context_;
  grpc::GenericServerAsyncReaderWriter stream_{&context_};
  struct Input {
    grpc::ByteBuffer bytes;
    std::optional<ReceivedData> data;  // the decoded bytes, if has_data()
    std::atomic<bool> reading = false;
  };
  Input input_;
  struct Output {
    std::deque<grpc::ByteBuffer> queued;
    int64_t unsent = 0;   // bytes, with the message that gRPC has
    int64_t sending = 0;  // bytes of the message that gRPC has
  };
  Output output_;
  grpc::Status status_;
  Subject subject_;
  int pending_ = 0;  // operations held by gRPC
  struct State {
    bool accepted = false, writing = false, ending = false, end_begun = false, ended = false;
  };
  State state_;

  OperationOf<&FlightCall::OnRequested> on_requested_{this};
  OperationOf<&FlightCall::OnRead, &FlightCall::Decode> on_read_{this};
  OperationOf<&FlightCall::OnWrote> on_wrote_{this};
  OperationOf<&FlightCall::OnEnded> on_ended_{this};
  OperationOf<&FlightCall::OnDone> on_done_{this};
};

}  // namespace howdah::feed::server
