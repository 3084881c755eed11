#include "remote_put.h"

#include <grpcpp/client_context.h>
#include <grpcpp/completion_queue.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/impl/codegen/proto_utils.h>

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

constexpr char kDoPut[] = "/arrow.flight.protocol.FlightService/DoPut";

grpc::ByteBuffer FirstOf(const PutTarget& target, const std::string& schema) {
  flight::FlightData first;
  first.mutable_flight_descriptor()->set_type(flight::FlightDescriptor::CMD);
  first.mutable_flight_descriptor()->set_cmd(PutCommand(target));
  first.set_data_header(schema);
  return EncodeMessage(first);
}

// nullopt: the message is not a PutResult.
std::optional<Result<PutAnswer>> AnswerOf(grpc::ByteBuffer& message) {
  flight::PutResult result;
  if (!grpc::SerializationTraits<flight::PutResult>::Deserialize(&message, &result).ok()) return std::nullopt;
  return ReadPutResult(result.app_metadata());
}

}  // namespace

// The thread waits for one operation of gRPC at a time, so it needs no state between them.
class RemotePut::Call {
 public:
  using OnAnswer = std::function<void(Result<PutAnswer>)>;

  Call(Settings settings, rpc::Post post)
      : settings_(std::move(settings)),
        post_(std::move(post)),
        where_(FlightTarget(settings_.address)),
        thread_([this] { Run(); }) {}
  ~Call() {
    context_.TryCancel();
    {
      const std::lock_guard lock(mutex_);
      ends_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  const Settings& settings() const { return settings_; }

  void Send(const ArrowBlock& block, OnAnswer on_answer) {
    on_answer_ = std::move(on_answer);
    {
      const std::lock_guard lock(mutex_);
      next_ = EncodeBlock(block);
    }
    changed_.notify_one();
  }

 private:
  // Waits for the next block. nullopt: there is none.
  std::optional<grpc::ByteBuffer> Next() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return ends_ || next_; });
    return ends_ ? std::nullopt : std::exchange(next_, std::nullopt);
  }

  void Run() {
    std::optional<grpc::ByteBuffer> block = Next();
    if (!block) return;
    context_.AddMetadata("authorization", "Bearer " + settings_.token);
    grpc::GenericStub stub(MakeFlightChannel(where_, settings_.ca_certificate));
    const auto stream = stub.PrepareCall(&context_, kDoPut, &queue_);
    stream->StartCall(nullptr);
    bool open = Wait();
    if (open) {
      stream->Write(FirstOf(settings_.target, settings_.schema), nullptr);
      open = Wait();
    }
    for (; open && block; block = Next()) {
      grpc::ByteBuffer message;
      stream->Write(*block, nullptr);
      open = Wait();
      if (open) {
        stream->Read(&message, nullptr);
        open = Wait();
      }
      if (!open) break;
      auto answer = AnswerOf(message);
      Answer(answer ? std::move(*answer) : Failed("the answer to a block is not a PutResult"));
    }
    context_.TryCancel();
    grpc::Status status;
    stream->Finish(&status, nullptr);
    Wait();
    queue_.Shutdown();
    if (!open) Fail(status);
  }

  // Waits for the pending operation. Cancels the call if it takes too long. Returns whether it succeeded.
  bool Wait() {
    void* tag = nullptr;
    bool ok = false;
    const auto limit = std::chrono::system_clock::now() + settings_.silence;
    if (queue_.AsyncNext(&tag, &ok, limit) == grpc::CompletionQueue::TIMEOUT) {
      silent_ = true;
      context_.TryCancel();
      queue_.Next(&tag, &ok);
    }
    return ok && !silent_;
  }

  void Fail(const grpc::Status& status) {
    const std::string what = "putting rows of the feed '" + settings_.target.feed + "' into the executor at " + where_;
    if (silent_) {
      return Answer(Error{ErrorCode::kTimeout, what + ": no answer for " + FormatDuration(settings_.silence)});
    }
    // The address may be that of an executor that has just been replaced.
    Answer(Error{ErrorCode::kUnavailable, what + ": " + status.error_message()});
  }

  void Answer(Result<PutAnswer> answer) {
    post_([this, alive = std::weak_ptr(alive_), answer = std::move(answer)] {
      if (alive.expired()) return;
      const OnAnswer on_answer = std::exchange(on_answer_, nullptr);
      if (on_answer) on_answer(answer);
    });
  }

  const Settings settings_;
  const rpc::Post post_;
  const std::string where_;
  std::shared_ptr<char> alive_ = std::make_shared<char>();  // expires with this object, on the loop
  OnAnswer on_answer_;                                      // used on the loop
  grpc::ClientContext context_;
  grpc::CompletionQueue queue_;
  bool silent_ = false;  // used on the thread
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<grpc::ByteBuffer> next_;  // guarded by mutex_
  bool ends_ = false;                     // guarded by mutex_
  std::thread thread_;                    // the last field, because it uses the others
};

RemotePut::RemotePut(Settings settings, rpc::Post post)
    : call_(std::make_unique<Call>(std::move(settings), std::move(post))) {}
RemotePut::~RemotePut() = default;

const PutTarget& RemotePut::target() const { return call_->settings().target; }
const std::string& RemotePut::schema() const { return call_->settings().schema; }

void RemotePut::Send(const ArrowBlock& block, std::function<void(Result<PutAnswer>)> on_answer) {
  call_->Send(block, std::move(on_answer));
}

}  // namespace howdah::feed::server
