#include "flight_server.h"

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/impl/codegen/proto_utils.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <sys/un.h>

#include <algorithm>
#include <chrono>
#include <initializer_list>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "arrow_header.h"
#include "block_digest.h"
#include "flight_call.h"
#include "howdah/base/host_port.h"
#include "howdah/base/text.h"
#include "howdah/rpc/acceptor.h"
#include "howdah/rpc/completions.h"
#include "howdah/rpc/openssl_setup.h"
#include "howdah/wire/flight.pb.h"
#include "read_queue.h"

namespace howdah::feed::server {
namespace {

namespace flight = arrow::flight::protocol;
using Method = FlightCall::Method;

constexpr std::string_view kService = "/arrow.flight.protocol.FlightService/";
constexpr std::string_view kBearer = "Bearer ";
constexpr std::chrono::milliseconds kFlushLimit{100};
constexpr int kTlsQueues = 4;                // each has a thread, which decrypts the blocks of its connections
constexpr int64_t kGetAheadBytes = 4 << 20;  // per call: sent to gRPC, and not to the client
constexpr int kPutWindowBytes = 2 << 20;     // per call: the part of the next block that is received before it is read

// The token of the header "authorization". Empty if there is none.
std::string TokenOf(const grpc::GenericServerContext& context) {
  const auto& headers = context.client_metadata();
  const auto header = headers.find("authorization");
  if (header == headers.end()) return "";
  const std::string value(header->second.data(), header->second.size());
  return value.starts_with(kBearer) ? value.substr(kBearer.size()) : "";
}

Result<PutTarget> ReadCommand(const flight::FlightDescriptor& descriptor, Result<PutTarget> (*read)(std::string_view)) {
  if (descriptor.type() == flight::FlightDescriptor::CMD) return read(descriptor.cmd());
  return Error{ErrorCode::kUsage, "the first message has no descriptor with a command"};
}

bool IsOverUnixSocket(FlightCall& call) { return call.context().peer().starts_with("unix:"); }

// A block of a DoPut call without an answer.
struct PutBlock {
  uint64_t call = 0;
  Rows rows;
  int64_t bytes = 0;
  std::optional<uint64_t> digest = {};  // if the executor has computed it
};

class Server final : public FlightServer, public FlightCall::Owner {
 public:
  Server(rpc::Post post, Handlers handlers)
      : post_(std::move(post)), handlers_(std::make_shared<const Handlers>(std::move(handlers))) {}
  ~Server() override;

  Status Listen(const std::string& unix_path, const std::string& tls_host, const rpc::Identity& identity);
  uint16_t port() const override { return acceptor_ ? acceptor_->port() : uint16_t{0}; }

 private:
  // Waits on the completion queue with this number for the next call.
  void Await(size_t queue);
  void OnAccepted(FlightCall& call) override;
  void OnMessage(FlightCall& call) override;
  void OnNoMessage(FlightCall& call) override;
  void OnSent(FlightCall& call) override;
  void OnCancelled(FlightCall& call) override;
  void OnOver(FlightCall& call) override { calls_.erase(call.id()); }
  // The first messages of DoPut and DoExchange. Each function ends the call and returns false if they are not valid.
  bool TakeTarget(FlightCall& call, Result<PutTarget> target);
  bool TakeSchema(FlightCall& call);
  void OnFirstOfPut(FlightCall& call);
  void OnFirstOfPlain(FlightCall& call);
  void OnBlock(FlightCall& call);
  void OnPlainBlock(FlightCall& call);
  void OnFirstOfExchange(FlightCall& call);
  void OnQuestion(FlightCall& call);
  void OnAnswer(const PutBlock& block, const Result<PutAnswer>& answer);
  void OnTicket(FlightCall& call);
  void OnAction(FlightCall& call);
  // Reads the next block of each call in the queues, as long as few bytes wait for answers.
  void ReadBlocks();
  // Whether the caller has the token of the feed. Ends the call if not.
  bool Authorized(FlightCall& call, const std::string& feed);
  // The call, if it is open, else null.
  FlightCall* Find(uint64_t id) {
    const auto it = calls_.find(id);
    return it == calls_.end() || !it->second->open() ? nullptr : it->second.get();
  }
  // Find(call.id()) for the functions that handlers receive. They may exist longer than this server.
  std::function<FlightCall*()> Finder(const FlightCall& call) {
    return [this, alive = std::weak_ptr(alive_), id = call.id()] { return alive.expired() ? nullptr : Find(id); };
  }
  // The function with which handlers end the call.
  std::function<void(Status)> Ending(const FlightCall& call) {
    return [find = Finder(call)](const Status& status) {
      if (FlightCall* const ended = find()) ended->End(ToGrpc(status));
    };
  }

  const rpc::Post post_;
  // Shared with a running handler, because the handler may destroy this server.
  const std::shared_ptr<const Handlers> handlers_;
  std::shared_ptr<char> alive_ = std::make_shared<char>();  // null when no handler may be called any more
  grpc::AsyncGenericService service_;
  std::unique_ptr<grpc::Server> server_;
  std::optional<rpc::Completions> completions_;
  std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> to_grpc_;  // used by the acceptor's thread
  std::unique_ptr<rpc::Acceptor> acceptor_;                                  // with TLS
  uint64_t last_id_ = 0;
  std::unordered_map<uint64_t, std::unique_ptr<FlightCall>> calls_;
  ReadQueue numbered_{kUnansweredBytes}, plain_{kPlainBytes};
};

Status Server::Listen(const std::string& unix_path, const std::string& tls_host, const rpc::Identity& identity) {
  const std::string where = "unix:" + unix_path;
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
    // A client without the token of a feed makes no call that is admitted.
    HOWDAH_TRY(acceptor_, rpc::Acceptor::Listen(tls_host, 0, {.needs_call = true}, rpc::Peers::kAny));
    to_grpc_ = builder.experimental().AddExternalConnectionAcceptor(
        grpc::ServerBuilder::experimental_type::ExternalConnectionType::FROM_FD, grpc::SslServerCredentials(options));
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
  rpc::Completions::Queues queues;
  for (int i = 0; i < (tls_host.empty() ? 1 : kTlsQueues); ++i) queues.push_back(builder.AddCompletionQueue());
  server_ = builder.BuildAndStart();
  completions_.emplace(std::move(queues), post_);
  if (!server_) {
    return Failed("listening on " + where + ": the folder of the socket must exist and be writable");
  }
  if (acceptor_) {
    acceptor_->Start([this](int socket) {
      grpc::experimental::ExternalConnectionAcceptor::NewConnectionParameters connection;
      connection.fd = socket;
      to_grpc_->HandleNewConnection(&connection);
    });
  }
  for (size_t i = 0; i < completions_->queues(); ++i) Await(i);
  return {};
}

Server::~Server() {
  alive_.reset();
  acceptor_.reset();  // first, because its thread uses to_grpc_
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

void Server::Await(size_t queue) {
  const uint64_t id = ++last_id_;
  auto& call = calls_[id] = std::make_unique<FlightCall>(id, this);
  call->subject().queue = queue;
  call->Await(service_, static_cast<grpc::ServerCompletionQueue*>(completions_->queue(queue)));
}

bool Server::Authorized(FlightCall& call, const std::string& feed) {
  if (handlers_->authorize(feed, call.subject().token)) return true;
  call.End({grpc::StatusCode::UNAUTHENTICATED, "the token is not that of the feed '" + Shorten(Shown(feed), 64) +
                                                   "' of this job; `howdah feed ID NAME --address` prints it"});
  return false;
}

void Server::OnAccepted(FlightCall& call) {
  if (!alive_) return call.End({grpc::StatusCode::UNAVAILABLE, "the executor of this task ends"});
  Await(call.subject().queue);
  std::string_view name = call.context().method();
  if (name.starts_with(kService)) name.remove_prefix(kService.size());
  const std::map<std::string_view, Method> methods = {{"DoPut", Method::kPut},
                                                      {"DoGet", Method::kGet},
                                                      {"DoAction", Method::kAction},
                                                      {"DoExchange", Method::kExchange}};
  const auto method = methods.find(name);
  if (method == methods.end()) {
    return call.End({grpc::StatusCode::UNIMPLEMENTED, "the feeds of Howdah do not support " + std::string(name) +
                                                          "; they support DoAction, DoExchange, DoGet and DoPut"});
  }
  call.subject().method = method->second;
  call.subject().token = TokenOf(call.context());
  if (call.subject().token.empty()) {
    return call.End({grpc::StatusCode::UNAUTHENTICATED,
                     "the call has no token; send the header 'authorization: Bearer TOKEN' with the token that `howdah "
                     "feed ID NAME --address` prints"});
  }
  if (handlers_->has_tokens && !handlers_->has_tokens()) {
    return call.End({grpc::StatusCode::UNAVAILABLE, "the task of this executor has not started yet"});
  }
  if (handlers_->is_token && !handlers_->is_token(call.subject().token)) {
    return call.End({grpc::StatusCode::UNAUTHENTICATED,
                     "the token is not that of a feed of this job; `howdah feed ID NAME --address` prints it"});
  }
  if (acceptor_) acceptor_->OnCall(call.context().peer());
  call.Read();
}

void Server::OnMessage(FlightCall& call) {
  if (!alive_) return;
  switch (call.subject().method) {
    case Method::kPut:
      return call.subject().target ? OnBlock(call) : OnFirstOfPut(call);
    case Method::kGet:
      return OnTicket(call);
    case Method::kExchange:
      return call.subject().acting ? OnQuestion(call) : OnFirstOfExchange(call);
    default:
      return OnAction(call);
  }
}

void Server::OnNoMessage(FlightCall& call) {
  if (!call.subject().target) return call.End({grpc::StatusCode::INVALID_ARGUMENT, "the call has no message"});
  const bool plain = call.subject().plain;
  if (!call.subject().acting) return call.End(grpc::Status::OK);
  const auto handlers = handlers_;
  if (alive_) plain ? handlers->plain.on_end(call.id()) : handlers->exchanges.on_asked(call.id());
}

void Server::OnSent(FlightCall& call) {
  if (!alive_) return;
  if (call.subject().when_room && call.unsent() <= kGetAheadBytes) std::exchange(call.subject().when_room, {})();
  if (call.subject().method != Method::kExchange) return;
  const auto handlers = handlers_;
  handlers->exchanges.on_sent(call.id(), call.unsent());
}

void Server::OnCancelled(FlightCall& call) {
  const bool acting = call.subject().acting && call.open();
  call.End(grpc::Status::CANCELLED);
  if (!alive_ || !acting) return;
  const auto handlers = handlers_;
  handlers->on_cancelled(call.id());
}

bool Server::TakeTarget(FlightCall& call, Result<PutTarget> target) {
  if (!target) {
    call.End(ToGrpc(target.error()));
    return false;
  }
  if (!Authorized(call, target->feed)) return false;
  call.subject().target = std::move(*target);
  return true;
}

bool Server::TakeSchema(FlightCall& call) {
  const auto header = ReadArrowHeader(call.data().data_header());
  if (!header || header->kind != ArrowHeader::Kind::kSchema) {
    call.End({grpc::StatusCode::INVALID_ARGUMENT, "the first message has no Arrow schema"});
    return false;
  }
  call.subject().schema = std::move(*call.data().mutable_data_header());
  return true;
}

void Server::OnFirstOfPut(FlightCall& call) {
  const flight::FlightDescriptor& descriptor = call.data().flight_descriptor();
  if (descriptor.type() == flight::FlightDescriptor::PATH) return OnFirstOfPlain(call);
  if (!TakeTarget(call, ReadCommand(descriptor, ReadPutTarget)) || !TakeSchema(call)) return;
  numbered_.Add(call.id());
  ReadBlocks();
}

void Server::OnFirstOfPlain(FlightCall& call) {
  if (!TakeTarget(call, ReadPutPath(call.data().flight_descriptor())) || !TakeSchema(call)) return;
  call.subject().plain = call.subject().acting = true;
  plain_.Add(call.id());
  ReadBlocks();
  const auto handlers = handlers_;
  const std::string feed = call.subject().target->feed;
  handlers->plain.on_begin(call.id(), feed, call.context().peer(), Ending(call));
}

// PyArrow sends the descriptor and the schema in two messages.
void Server::OnFirstOfExchange(FlightCall& call) {
  if (!call.subject().target) {
    if (!TakeTarget(call, ReadCommand(call.data().flight_descriptor(), ReadExchangeTarget))) return;
    if (call.data().data_header().empty()) return call.Read();
  }
  if (!TakeSchema(call)) return;
  call.subject().acting = true;
  const auto find = Finder(call);
  Handlers::Exchange exchange;
  exchange.read = [find] {
    if (FlightCall* const from = find()) from->Read();
  };
  exchange.send = [find](const std::string& line, std::string payload) {
    if (FlightCall* const to = find()) to->Write(EncodeMetadata(line, std::move(payload)));
  };
  exchange.finish = Ending(call);
  const auto handlers = handlers_;
  const std::string feed = call.subject().target->feed;
  handlers->exchanges.on_exchange(call.id(), feed, std::move(exchange));
}

void Server::OnQuestion(FlightCall& call) {
  auto block = TakeQuestion(call.data(), call.TakeBody());
  if (!block) return call.End(ToGrpc(block.error()));
  const auto handlers = handlers_;
  const std::string schema = call.subject().schema;  // a copy, because the handler may destroy the call
  handlers->exchanges.on_question(call.id(), schema, std::move(*block));
}

void Server::OnPlainBlock(FlightCall& call) {
  if (HasNoRows(call.data())) return call.Read();
  const auto handlers = handlers_;
  auto block = TakeBlockAt(call.data(), call.TakeBody(), call.subject().rows);
  if (!block) {
    const uint64_t id = call.id();
    call.End(ToGrpc(block.error()));
    return handlers->plain.on_end(id);
  }
  block->unix_socket = IsOverUnixSocket(call);
  call.subject().rows += block->rows;
  const auto bytes = static_cast<int64_t>(block->header.size() + block->body.size());
  plain_.Received(bytes);
  auto answer = [this, alive = std::weak_ptr(alive_), find = Finder(call), bytes](const Result<int64_t>& rows) {
    if (alive.expired()) return;
    plain_.Answered(bytes);
    FlightCall* const to = find();
    if (to != nullptr && rows.ok()) {
      // A client need not read these messages, so at most one of them waits.
      flight::PutResult message;
      message.set_app_metadata(RowsText(*rows));
      if (to->unsent() == 0) to->Write(EncodeMessage(message));
      plain_.Add(to->id());
    }
    ReadBlocks();
  };
  const std::string schema = call.subject().schema;  // a copy, because the handler may destroy the call
  handlers->plain.on_block(call.id(), schema, std::move(*block), std::move(answer));
}

void Server::OnBlock(FlightCall& call) {
  if (call.subject().plain) return OnPlainBlock(call);
  auto block = TakeBlock(call.data(), call.TakeBody());
  if (!block) return call.End(ToGrpc(block.error()));
  block->unix_socket = IsOverUnixSocket(call);
  const auto bytes = static_cast<int64_t>(block->header.size() + block->body.size());
  PutBlock put{call.id(), {block->first_row, block->first_row + block->rows}, bytes};
  if (block->digest_of_body) {
    put.digest = block->digest = DigestOf(block->first_row, block->rows, CrcOfBody(block->body));
  }
  numbered_.Received(bytes);
  auto answer = [this, alive = std::weak_ptr(alive_), put](const Result<PutAnswer>& result) {
    if (!alive.expired()) OnAnswer(put, result);
  };
  const auto handlers = handlers_;
  const PutTarget target = *call.subject().target;  // copies, because the handler may destroy the call
  const std::string schema = call.subject().schema;
  handlers->on_block(target, schema, std::move(*block), std::move(answer));
}

void Server::OnAnswer(const PutBlock& block, const Result<PutAnswer>& answer) {
  numbered_.Answered(block.bytes);
  if (FlightCall* const call = Find(block.call)) {
    flight::PutResult message;
    message.set_app_metadata(PutResultText(answer, block.rows, block.digest));
    call->Write(EncodeMessage(message));
    if (answer) numbered_.Add(block.call);
    if (!answer) call->End(ToGrpc(answer.error()));
  }
  ReadBlocks();
}

void Server::ReadBlocks() {
  const auto read = [this](uint64_t id) {
    if (FlightCall* const next = Find(id)) next->Read();
  };
  numbered_.ReadNext(read);
  plain_.ReadNext(read);
}

void Server::OnTicket(FlightCall& call) {
  flight::Ticket message;
  if (!grpc::SerializationTraits<flight::Ticket>::Deserialize(&call.message(), &message).ok()) {
    return call.End({grpc::StatusCode::INVALID_ARGUMENT, "the message is not a Ticket"});
  }
  auto get = ReadTicket(message.ticket());
  if (!get) return call.End(ToGrpc(get.error()));
  if (!Authorized(call, get->feed)) return;
  const auto find = Finder(call);
  Handlers::Get answer;
  answer.send = [find](std::string schema, std::vector<ArrowBlock> blocks) {
    FlightCall* const to = find();
    if (to == nullptr) return;
    if (to->subject().schema.empty()) {
      flight::FlightData first;
      first.set_data_header(schema);
      to->Write(EncodeMessage(first));
      to->subject().schema = std::move(schema);
    }
    for (const ArrowBlock& block : blocks) to->Write(EncodeBlock(block));
  };
  answer.has_room = [find] {
    const FlightCall* const to = find();
    return to != nullptr && to->unsent() <= kGetAheadBytes;
  };
  answer.when_room = [find](std::function<void()> function) {
    if (FlightCall* const to = find()) to->subject().when_room = std::move(function);
  };
  answer.finish = Ending(call);
  const auto handlers = handlers_;
  handlers->on_get(*get, std::move(answer));
}

void Server::OnAction(FlightCall& call) {
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
    FlightCall* const to = find();
    if (to == nullptr) return;
    flight::Result message;
    message.set_body(std::move(json));
    to->Write(EncodeMessage(message));
  };
  replies.finish = Ending(call);
  const auto handlers = handlers_;
  handlers->on_action(call.id(), action.type(), action.body(), std::move(replies));
}

}  // namespace

bool IsSameToken(const std::string& expected, std::string_view token) {
  if (expected.empty() || token.size() != expected.size()) return false;
  unsigned difference = 0;
  for (size_t i = 0; i < token.size(); ++i) difference |= static_cast<unsigned>(token[i] ^ expected[i]);
  return difference == 0;
}

Result<std::unique_ptr<FlightServer>> FlightServer::Start(const std::string& unix_path, const std::string& tls_host,
                                                          const rpc::Identity& identity, rpc::Post post,
                                                          Handlers handlers) {
  auto server = std::make_unique<Server>(std::move(post), std::move(handlers));
  HOWDAH_TRY_STATUS(server->Listen(unix_path, tls_host, identity));
  return std::unique_ptr<FlightServer>(std::move(server));
}

}  // namespace howdah::feed::server
