#include "flight_server.h"

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/impl/codegen/proto_utils.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <sys/un.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <initializer_list>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "arrow_header.h"
#include "howdah/base/host_port.h"
#include "howdah/base/text.h"
#include "howdah/rpc/completions.h"
#include "howdah/rpc/openssl_setup.h"
#include "howdah/wire/flight.pb.h"

namespace howdah::feed::server {
namespace {

namespace flight = arrow::flight::protocol;

constexpr std::string_view kService = "/arrow.flight.protocol.FlightService/";
constexpr std::string_view kBearer = "Bearer ";
constexpr std::chrono::milliseconds kFlushLimit{100};
constexpr size_t kStatusBytes = 2000;     // gRPC sends the text of a status in a header, and limits headers to 8 KiB
constexpr int kPutWindowBytes = 2 << 20;  // per call: the part of the next block that is received before it is read

enum class Method { kOther, kPut, kGet, kAction };

// One call of any method. Used on the loop, except Decode. Every operation calls Owner as its last action, because
// Owner may destroy the call.
class Call {
 public:
  class Owner {
   public:
    virtual void OnAccepted(Call& call) = 0;   // a client has opened the call
    virtual void OnMessage(Call& call) = 0;    // the message that Read requested
    virtual void OnNoMessage(Call& call) = 0;  // the client sends nothing more
    virtual void OnCancelled(Call& call) = 0;  // the client is gone
    virtual void OnOver(Call& call) = 0;       // the call has ended, and gRPC holds no operation of it

   protected:
    ~Owner() = default;
  };

  // The content of the call. Filled by the owner.
  struct Subject {
    Method method = Method::kOther;
    std::string token;
    std::optional<PutTarget> target;  // of kPut, after the first message
    std::string schema;               // of kPut: received; of kGet: sent
    bool acting = false;              // of kAction: the handler has the call
  };

  Call(uint64_t id, Owner* owner) : id_(id), owner_(owner) {}
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  void Await(grpc::AsyncGenericService& service, grpc::ServerCompletionQueue* queue) {
    context_.AsyncNotifyWhenDone(&on_done_);
    ++pending_;
    service.RequestCall(&context_, &stream_, queue, queue, &on_requested_);
  }
  // Reads one message; OnMessage or OnNoMessage follows. One read at a time.
  void Read() {
    ++pending_;
    input_.reading.store(true, std::memory_order_release);
    stream_.Read(&input_.bytes, &on_read_);
  }
  void Write(grpc::ByteBuffer message) {
    if (state_.ending) return;
    queued_.push_back(std::move(message));
    if (!state_.writing) WriteNext();
  }
  // Ends the call after the queued messages were sent.
  void End(grpc::Status status) {
    if (std::exchange(state_.ending, true)) return;
    status_ = std::move(status);
    if (!state_.writing) WriteNext();
  }

  uint64_t id() const { return id_; }
  const grpc::GenericServerContext& context() const { return context_; }
  Subject& subject() { return subject_; }
  bool accepted() const { return state_.accepted; }
  bool open() const { return !state_.ending; }
  bool ended() const { return state_.ended; }
  // The message that was read: data() for the method kPut, message() for others.
  grpc::ByteBuffer& message() { return input_.bytes; }
  flight::FlightData& data() { return *input_.data; }

 private:
  template <void (Call::*kDone)(bool), void (Call::*kReceived)(bool) = nullptr>
  class OperationOf final : public rpc::Operation {
   public:
    explicit OperationOf(Call* call) : call_(call) {}
    void Received(bool ok) override {
      if constexpr (kReceived != nullptr) (call_->*kReceived)(ok);
    }
    void Done(bool ok) override { (call_->*kDone)(ok); }

   private:
    Call* call_;
  };

  // Decodes a block on the thread of the completion queue, because its copy would stop the loop for milliseconds.
  void Decode(bool ok) {
    // The thread sanitizer does not see gRPC's locks, so this pair with Read states the order.
    if (!input_.reading.load(std::memory_order_acquire) || !ok || subject_.method != Method::kPut) return;
    input_.data = std::make_unique<flight::FlightData>();
    if (!grpc::SerializationTraits<flight::FlightData>::Deserialize(&input_.bytes, input_.data.get()).ok())
      input_.data.reset();
    input_.bytes.Clear();
  }
  void OnRequested(bool ok) {
    --pending_;
    if (!ok) return;  // the server is shutting down; on_done_ is not returned
    ++pending_;       // on_done_
    state_.accepted = true;
    owner_->OnAccepted(*this);
  }
  void OnRead(bool ok) {
    --pending_;
    if (over()) return owner_->OnOver(*this);
    if (state_.ending) return;
    if (!ok) return owner_->OnNoMessage(*this);
    if (subject_.method == Method::kPut && !input_.data) {
      return End({grpc::StatusCode::INVALID_ARGUMENT, "the message is not a FlightData"});
    }
    owner_->OnMessage(*this);
  }
  void OnWrote(bool ok) {
    --pending_;
    state_.writing = false;
    if (!ok) queued_.clear();  // the client is gone
    WriteNext();
    if (over()) owner_->OnOver(*this);
  }
  void OnEnded(bool) {
    --pending_;
    state_.ended = true;
    if (over()) owner_->OnOver(*this);
  }
  void OnDone(bool) {
    --pending_;
    if (over()) return owner_->OnOver(*this);
    if (context_.IsCancelled()) owner_->OnCancelled(*this);
  }
  void WriteNext() {
    if (!queued_.empty()) {
      state_.writing = true;
      ++pending_;
      stream_.Write(queued_.front(), &on_wrote_);
      queued_.pop_front();
    } else if (state_.ending && !std::exchange(state_.end_begun, true)) {
      ++pending_;
      stream_.Finish(status_, &on_ended_);
    }
  }
  bool over() const { return state_.ended && pending_ == 0; }

  const uint64_t id_;
  Owner* const owner_;
  grpc::GenericServerContext context_;
  grpc::GenericServerAsyncReaderWriter stream_{&context_};
  struct Input {
    grpc::ByteBuffer bytes;
    std::unique_ptr<flight::FlightData> data;  // the decoded bytes, of the method kPut
    std::atomic<bool> reading = false;
  };
  Input input_;
  std::deque<grpc::ByteBuffer> queued_;
  grpc::Status status_;
  Subject subject_;
  int pending_ = 0;  // operations held by gRPC
  struct State {
    bool accepted = false, writing = false, ending = false, end_begun = false, ended = false;
  };
  State state_;

  OperationOf<&Call::OnRequested> on_requested_{this};
  OperationOf<&Call::OnRead, &Call::Decode> on_read_{this};
  OperationOf<&Call::OnWrote> on_wrote_{this};
  OperationOf<&Call::OnEnded> on_ended_{this};
  OperationOf<&Call::OnDone> on_done_{this};
};

grpc::ByteBuffer Encode(const google::protobuf::MessageLite& message) {
  const grpc::Slice slice(message.SerializeAsString());
  return {&slice, 1};
}

// Encodes a block without copying its body.
grpc::ByteBuffer Encode(ArrowBlock block) {
  const grpc::Slice begin(EncodeBegin(block));
  auto* const body = new std::string(std::move(block.body));
  const auto destroy = [](void* text) { delete static_cast<std::string*>(text); };
  const grpc::Slice slices[] = {begin, grpc::Slice(body->data(), body->size(), destroy, body)};
  return {slices, 2};
}

grpc::Status ToGrpc(const Status& status) {
  if (status.ok()) return grpc::Status::OK;
  const std::map<ErrorCode, grpc::StatusCode> codes = {{ErrorCode::kUsage, grpc::StatusCode::INVALID_ARGUMENT},
                                                       {ErrorCode::kUnavailable, grpc::StatusCode::UNAVAILABLE},
                                                       {ErrorCode::kNotFound, grpc::StatusCode::NOT_FOUND},
                                                       {ErrorCode::kTimeout, grpc::StatusCode::DEADLINE_EXCEEDED},
                                                       {ErrorCode::kNoSpace, grpc::StatusCode::RESOURCE_EXHAUSTED}};
  const auto code = codes.find(status.error().code);
  return {code == codes.end() ? grpc::StatusCode::INTERNAL : code->second,
          Shorten(status.error().message, kStatusBytes)};
}

// The token of the header "authorization". Empty if there is none.
std::string TokenOf(const grpc::GenericServerContext& context) {
  const auto& headers = context.client_metadata();
  const auto header = headers.find("authorization");
  if (header == headers.end()) return "";
  const std::string value(header->second.data(), header->second.size());
  return value.starts_with(kBearer) ? value.substr(kBearer.size()) : "";
}

class Server final : public FlightServer, public Call::Owner {
 public:
  Server(rpc::Post post, Handlers handlers)
      : post_(std::move(post)), handlers_(std::make_shared<const Handlers>(std::move(handlers))) {}
  ~Server() override;

  Status Listen(const std::string& unix_path, const std::string& tls_host, const rpc::Identity& identity);
  uint16_t port() const override { return static_cast<uint16_t>(port_); }

 private:
  void Await();
  void OnAccepted(Call& call) override;
  void OnMessage(Call& call) override;
  void OnNoMessage(Call& call) override;
  void OnCancelled(Call& call) override;
  void OnOver(Call& call) override { calls_.erase(call.id()); }
  void OnFirstOfPut(Call& call);
  void OnBlock(Call& call);
  void OnAnswer(uint64_t id, Rows rows, int64_t bytes, const Result<PutAnswer>& answer);
  void OnTicket(Call& call);
  void OnAction(Call& call);
  // Reads the next block of each call in for_room_, as long as few bytes wait for answers.
  void ReadBlocks();
  // Whether the caller has the token of the feed. Ends the call if not.
  bool Authorized(Call& call, const std::string& feed);
  // The call, if it is open, else null.
  Call* Find(uint64_t id) {
    const auto it = calls_.find(id);
    return it == calls_.end() || !it->second->open() ? nullptr : it->second.get();
  }
  // Find(call.id()) for the functions that handlers receive. They may exist longer than this server.
  std::function<Call*()> Finder(const Call& call) {
    return [this, alive = std::weak_ptr(alive_), id = call.id()] { return alive.expired() ? nullptr : Find(id); };
  }
  // The function with which handlers end the call.
  std::function<void(Status)> Ending(const Call& call) {
    return [find = Finder(call)](const Status& status) {
      if (Call* const ended = find()) ended->End(ToGrpc(status));
    };
  }

  const rpc::Post post_;
  // Shared with a running handler, because the handler may destroy this server.
  const std::shared_ptr<const Handlers> handlers_;
  std::shared_ptr<char> alive_ = std::make_shared<char>();  // null when no handler may be called any more
  grpc::AsyncGenericService service_;
  std::unique_ptr<grpc::Server> server_;
  std::optional<rpc::Completions> completions_;
  int port_ = 0;
  uint64_t last_id_ = 0;
  std::unordered_map<uint64_t, std::unique_ptr<Call>> calls_;
  int64_t unanswered_ = 0;         // bytes of the blocks that wait for an answer
  std::deque<uint64_t> for_room_;  // calls that wait until fewer bytes are unanswered
};

Status Server::Listen(const std::string& unix_path, const std::string& tls_host, const rpc::Identity& identity) {
  std::string where = "unix:" + unix_path;
  if (unix_path.size() >= sizeof sockaddr_un{}.sun_path) {
    return Error::WithRemedy(ErrorCode::kFailed, "listening on " + where + ": the path has more than 107 bytes",
                             "use a working directory with a shorter path");
  }
  grpc::ServerBuilder builder;
  builder.AddListeningPort(where, grpc::InsecureServerCredentials());
  if (!tls_host.empty()) {
    rpc::IgnoreOpensslConfiguration();
    grpc::SslServerCredentialsOptions options(GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE);
    options.pem_key_cert_pairs.push_back({identity.private_key, identity.certificate});
    builder.AddListeningPort(HostPort{tls_host, 0}.Text(), grpc::SslServerCredentials(options), &port_);
    where += " and " + tls_host;
  }
  builder.RegisterAsyncGenericService(&service_);
  builder.SetMaxReceiveMessageSize(kMessageBytes);
  for (const auto& [name, value] : std::initializer_list<std::pair<const char*, int>>{
           {GRPC_ARG_ENABLE_CHANNELZ, 0},
           {GRPC_ARG_ALLOW_REUSEPORT, 0},
           {GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, 10'000},
           {GRPC_ARG_HTTP2_BDP_PROBE, 0},
           {GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES, kPutWindowBytes},
           {GRPC_ARG_HTTP2_MAX_FRAME_SIZE, kFrameBytes},
           {GRPC_ARG_TCP_READ_CHUNK_SIZE, kReadBytes},
           // Ping silent peers, so that the connection to a vanished node is closed.
           {GRPC_ARG_KEEPALIVE_TIME_MS, 30'000},
           {GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 20'000},
           {GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 1'000},
           {GRPC_ARG_HTTP2_MAX_PING_STRIKES, 0}}) {
    builder.AddChannelArgument(name, value);
  }
  auto queue = builder.AddCompletionQueue();
  server_ = builder.BuildAndStart();
  completions_.emplace(std::move(queue), post_);
  if (!server_) {
    return Failed("listening on " + where + ": the folder of the socket must exist and be writable" +
                  (tls_host.empty() ? "" : ", and the host must be an IP address of this machine"));
  }
  Await();
  return {};
}

Server::~Server() {
  alive_.reset();
  if (server_) {
    const grpc::Status ends(grpc::StatusCode::UNAVAILABLE, "the executor of this task ends");
    for (const auto& [id, call] : calls_) {
      if (call->accepted()) call->End(ends);
    }
    completions_->Drain(kFlushLimit, [this] {
      return std::none_of(calls_.begin(), calls_.end(),
                          [](const auto& entry) { return entry.second->accepted() && !entry.second->ended(); });
    });
    server_->Shutdown(std::chrono::system_clock::now());
  }
  completions_.reset();
}

void Server::Await() {
  const uint64_t id = ++last_id_;
  auto& call = calls_[id] = std::make_unique<Call>(id, this);
  call->Await(service_, static_cast<grpc::ServerCompletionQueue*>(completions_->queue()));
}

bool Server::Authorized(Call& call, const std::string& feed) {
  if (handlers_->authorize(feed, call.subject().token)) return true;
  call.End({grpc::StatusCode::UNAUTHENTICATED, "the token is not that of the feed '" + Shorten(Shown(feed), 64) +
                                                   "' of this job; `howdah feed ID NAME --address` prints it"});
  return false;
}

void Server::OnAccepted(Call& call) {
  if (!alive_) return call.End({grpc::StatusCode::UNAVAILABLE, "the executor of this task ends"});
  Await();
  std::string_view name = call.context().method();
  if (name.starts_with(kService)) name.remove_prefix(kService.size());
  const std::map<std::string_view, Method> methods = {
      {"DoPut", Method::kPut}, {"DoGet", Method::kGet}, {"DoAction", Method::kAction}};
  const auto method = methods.find(name);
  if (method == methods.end()) {
    return call.End({grpc::StatusCode::UNIMPLEMENTED, "the feeds of Howdah do not support " + std::string(name) +
                                                          "; they support DoAction, DoPut and DoGet"});
  }
  call.subject().method = method->second;
  call.subject().token = TokenOf(call.context());
  if (call.subject().token.empty()) {
    return call.End({grpc::StatusCode::UNAUTHENTICATED,
                     "the call has no token; send the header 'authorization: Bearer TOKEN' with the token that `howdah "
                     "feed ID NAME --address` prints"});
  }
  if (handlers_->is_token && !handlers_->is_token(call.subject().token)) {
    return call.End({grpc::StatusCode::UNAUTHENTICATED,
                     "the token is not that of a feed of this job; `howdah feed ID NAME --address` prints it"});
  }
  call.Read();
}

void Server::OnMessage(Call& call) {
  if (!alive_) return;
  switch (call.subject().method) {
    case Method::kPut:
      return call.subject().target ? OnBlock(call) : OnFirstOfPut(call);
    case Method::kGet:
      return OnTicket(call);
    default:
      return OnAction(call);
  }
}

void Server::OnNoMessage(Call& call) {
  if (call.subject().target) return call.End(grpc::Status::OK);
  call.End({grpc::StatusCode::INVALID_ARGUMENT, "the call has no message"});
}

void Server::OnCancelled(Call& call) {
  const bool acting = call.subject().acting && call.open();
  call.End(grpc::Status::CANCELLED);
  if (!alive_ || !acting) return;
  const auto handlers = handlers_;
  handlers->on_cancelled(call.id());
}

void Server::OnFirstOfPut(Call& call) {
  const flight::FlightDescriptor& descriptor = call.data().flight_descriptor();
  if (descriptor.type() != flight::FlightDescriptor::CMD) {
    return call.End({grpc::StatusCode::INVALID_ARGUMENT, "the first message has no descriptor with a command"});
  }
  auto target = ReadPutTarget(descriptor.cmd());
  if (!target) return call.End(ToGrpc(target.error()));
  if (!Authorized(call, target->feed)) return;
  const auto header = ReadArrowHeader(call.data().data_header());
  if (!header || header->kind != ArrowHeader::Kind::kSchema) {
    return call.End({grpc::StatusCode::INVALID_ARGUMENT, "the first message has no Arrow schema"});
  }
  call.subject().schema = std::move(*call.data().mutable_data_header());
  call.subject().target = std::move(*target);
  for_room_.push_back(call.id());
  ReadBlocks();
}

void Server::OnBlock(Call& call) {
  auto block = TakeBlock(call.data());
  if (!block) return call.End(ToGrpc(block.error()));
  const Rows rows{block->first_row, block->first_row + block->rows};
  const auto bytes = static_cast<int64_t>(block->header.size() + block->body.size());
  unanswered_ += bytes;
  auto answer = [this, alive = std::weak_ptr(alive_), id = call.id(), rows, bytes](const Result<PutAnswer>& result) {
    if (!alive.expired()) OnAnswer(id, rows, bytes, result);
  };
  const auto handlers = handlers_;
  const PutTarget target = *call.subject().target;  // copies, because the handler may destroy the call
  const std::string schema = call.subject().schema;
  handlers->on_block(target, schema, std::move(*block), std::move(answer));
}

void Server::OnAnswer(uint64_t id, Rows rows, int64_t bytes, const Result<PutAnswer>& answer) {
  unanswered_ -= bytes;
  if (Call* const call = Find(id)) {
    flight::PutResult message;
    message.set_app_metadata(PutResultText(answer, rows));
    call->Write(Encode(message));
    if (answer) for_room_.push_back(id);
    if (!answer) call->End(ToGrpc(answer.error()));
  }
  ReadBlocks();
}

void Server::ReadBlocks() {
  while (!for_room_.empty() && unanswered_ < kUnansweredBytes) {
    if (Call* const next = Find(for_room_.front())) next->Read();
    for_room_.pop_front();
  }
}

void Server::OnTicket(Call& call) {
  flight::Ticket message;
  if (!grpc::SerializationTraits<flight::Ticket>::Deserialize(&call.message(), &message).ok()) {
    return call.End({grpc::StatusCode::INVALID_ARGUMENT, "the message is not a Ticket"});
  }
  auto get = ReadTicket(message.ticket());
  if (!get) return call.End(ToGrpc(get.error()));
  if (!Authorized(call, get->feed)) return;
  const auto find = Finder(call);
  auto send = [find](std::string schema, std::vector<ArrowBlock> blocks) {
    Call* const to = find();
    if (to == nullptr) return;
    if (to->subject().schema.empty()) {
      flight::FlightData first;
      first.set_data_header(schema);
      to->Write(Encode(first));
      to->subject().schema = std::move(schema);
    }
    for (ArrowBlock& block : blocks) to->Write(Encode(std::move(block)));
  };
  const auto handlers = handlers_;
  handlers->on_get(std::move(*get), std::move(send), Ending(call));
}

void Server::OnAction(Call& call) {
  flight::Action action;
  if (!grpc::SerializationTraits<flight::Action>::Deserialize(&call.message(), &action).ok()) {
    return call.End({grpc::StatusCode::INVALID_ARGUMENT, "the message is not an Action"});
  }
  const auto feed = ReadFeedName(action.body());
  if (!feed) return call.End(ToGrpc(feed.error()));
  if (!Authorized(call, *feed)) return;
  call.subject().acting = true;
  const auto find = Finder(call);
  Handlers::Call replies;
  replies.reply = [find](std::string json) {
    Call* const to = find();
    if (to == nullptr) return;
    flight::Result message;
    message.set_body(std::move(json));
    to->Write(Encode(message));
  };
  replies.finish = Ending(call);
  const auto handlers = handlers_;
  handlers->on_action(call.id(), action.type(), action.body(), std::move(replies));
}

}  // namespace

Result<std::unique_ptr<FlightServer>> FlightServer::Start(const std::string& unix_path, const std::string& tls_host,
                                                          const rpc::Identity& identity, rpc::Post post,
                                                          Handlers handlers) {
  auto server = std::make_unique<Server>(std::move(post), std::move(handlers));
  HOWDAH_TRY_STATUS(server->Listen(unix_path, tls_host, identity));
  return std::unique_ptr<FlightServer>(std::move(server));
}

}  // namespace howdah::feed::server
