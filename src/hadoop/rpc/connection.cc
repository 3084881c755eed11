#include "connection.h"

#include <utility>

#include "remote_error.h"

namespace howdah::hadoop::rpc {
namespace {

using ::hadoop::common::RpcResponseHeaderProto;
using ::hadoop::common::RpcSaslProto;

constexpr int32_t kContextCall = -3, kPingCall = -4, kSaslCall = -33;
constexpr std::string_view kPreambleNone("hrpc\x09\x00\x00", 7), kPreambleSasl("hrpc\x09\x00\xdf", 7);
constexpr uint32_t kOldServer = 0xffffffff;

Acceptance AcceptanceOf(const ConnectionOptions& options) {
  Acceptance acceptance{!options.user.empty(), options.why_not_simple, {}};
  if (options.kerberos) acceptance.kerberos = {options.kerberos->weakest, options.kerberos->weakest_from};
  return acceptance;
}

bool UsesSasl(const ConnectionOptions& options) { return !options.mechanisms.empty() || options.kerberos; }

std::string Header(const std::string& client_id, int32_t call_id, int32_t retry_count) {
  ::hadoop::common::RpcRequestHeaderProto header;
  header.set_rpckind(::hadoop::common::RPC_PROTOCOL_BUFFER);
  header.set_rpcop(::hadoop::common::RpcRequestHeaderProto::RPC_FINAL_PACKET);
  header.set_callid(call_id);
  header.set_clientid(call_id == kSaslCall ? "" : client_id);
  header.set_retrycount(retry_count);
  std::string body;
  AppendDelimited(body, header);
  return body;
}

// How the server knows the user.
enum class Authentication { kSimple, kToken, kKerberos };

// The message that begins the calls of a connection.
std::string ContextFrame(const ConnectionOptions& options, Authentication authentication) {
  ::hadoop::common::IpcConnectionContextProto context;
  context.set_protocol(options.protocol);
  // As in Java's client, the field is always present. After an authentication it is empty, because the token or ticket
  // identifies the user. The owner of a ticket may act as another user.
  auto* user = context.mutable_userinfo();
  const bool simple = authentication == Authentication::kSimple;
  if (simple) user->set_effectiveuser(options.user);
  if (simple && !options.real_user.empty()) user->set_realuser(options.real_user);
  if (authentication == Authentication::kKerberos && !options.kerberos->on_behalf_of.empty()) {
    user->set_effectiveuser(options.kerberos->on_behalf_of);
  }
  std::string body = Header(options.client_id, kContextCall, -1);
  AppendDelimited(body, context);
  return Frame(body);
}

}  // namespace

Connection::Connection(ConnectionOptions options)
    : options_(std::move(options)), negotiation_(options_.mechanisms, AcceptanceOf(options_)) {
  if (!UsesSasl(options_)) {
    ready_ = true;
    return;
  }
  output_ = kPreambleSasl;
  begun_ = true;
  SendSasl(Negotiation::Begin());
}

void Connection::Call(int32_t id, int32_t retry_count, std::string_view method, std::string_view request) {
  if (failure_) return;
  if (!std::exchange(begun_, true)) {
    output_ = kPreambleNone;
    output_ += ContextFrame(options_, Authentication::kSimple);
  }
  ::hadoop::common::RequestHeaderProto call;
  call.set_methodname(std::string(method));
  call.set_declaringclassprotocolname(options_.protocol);
  call.set_clientprotocolversion(1);
  std::string body = Header(options_.client_id, id, retry_count);
  AppendDelimited(body, call);
  AppendDelimited(body, request);
  calls_[id] = false;
  unsent_.push_back(id);
  if (ready_) return Send(Frame(body));
  waiting_.push_back(Frame(body));
}

void Connection::Ping() {
  if (failure_ || !ready_ || !begun_) return;
  Send(Frame(Header(options_.client_id, kPingCall, -1)));
}

void Connection::Send(std::string frame) {
  if (!protection_) {
    output_ += frame;
    return;
  }
  for (std::string_view left = frame; !left.empty();) {
    const std::string_view chunk = left.substr(0, protection_->wrap_size());
    left.remove_prefix(chunk.size());
    auto token = protection_->Wrap(chunk);
    if (!token) return Fail(FailureKind::kBroken, token.error());
    RpcSaslProto message;
    message.set_state(RpcSaslProto::WRAP);
    message.set_token(*std::move(token));
    SendSasl(message);
  }
}

void Connection::SendSasl(const RpcSaslProto& message) {
  std::string body = Header(options_.client_id, kSaslCall, -1);
  AppendDelimited(body, message);
  output_ += Frame(body);
}

std::string Connection::TakeOutput() {
  if (ready_ && !output_.empty()) {
    for (const int32_t id : std::exchange(unsent_, {})) {
      if (auto call = calls_.find(id); call != calls_.end()) call->second = true;
    }
  }
  return std::exchange(output_, {});
}

bool Connection::WasSent(int32_t id) const {
  const auto call = calls_.find(id);
  return call != calls_.end() && call->second;
}

std::vector<Answer> Connection::TakeAnswers() { return std::exchange(answers_, {}); }

void Connection::Fail(FailureKind kind, Error error) {
  if (!failure_) failure_ = Failure{kind, std::move(error)};
}

void Connection::ReceiveEnd() {
  Fail(FailureKind::kLost,
       Failed(answered_ || !outer_.rest().empty() ? "the server closed the connection"
                                                  : "the server closed the connection without an answer"));
}

void Connection::Receive(std::string_view bytes) {
  if (failure_) return;
  outer_.Append(bytes);
  if (!answered_ && DetectOtherProtocol()) return;
  TakeFrames(outer_, false);
}

// Detects a peer that does not speak Hadoop RPC by its first bytes.
bool Connection::DetectOtherProtocol() {
  const auto length = outer_.PeekLength();
  if (!length || *length <= kMaxFrameSize) return false;
  const std::string_view rest = outer_.rest();
  if (rest.starts_with("HTTP")) {
    Break("this is an HTTP port, not a Hadoop RPC port");
  } else if (*length == kOldServer) {
    Break("this server is older than Hadoop 2 and speaks another protocol");
  } else if (rest.starts_with("SSH-")) {
    Break("this is an SSH port, not a Hadoop RPC port");
  } else {
    Break("the server on this port does not speak Hadoop RPC");
  }
  return true;
}

bool Connection::TakeFrames(FrameBuffer& buffer, bool unwrapped) {
  while (!failure_) {
    const auto length = buffer.PeekLength();
    if (length && *length > kMaxFrameSize) {
      Break("the server announced an answer of " + std::to_string(*length) + " bytes, more than the maximum");
    }
    auto body = buffer.Next();
    if (failure_ || !body) break;
    answered_ = true;
    OnFrame(*body, unwrapped);
  }
  return !failure_;
}

void Connection::OnFrame(std::string_view body, bool unwrapped) {
  DelimitedReader reader(body);
  const auto bytes = reader.Next();
  RpcResponseHeaderProto header;
  if (!bytes || !header.ParsePartialFromArray(bytes->data(), static_cast<int>(bytes->size())) || !header.has_callid() ||
      !header.has_status()) {
    return Break("the server's answer is unreadable");
  }
  const bool sasl = static_cast<int32_t>(header.callid()) == kSaslCall;
  if (protection_ && sasl == unwrapped) {
    return Break("the server sent an answer without the negotiated protection");
  }
  if (header.status() == RpcResponseHeaderProto::FATAL ||
      (header.status() == RpcResponseHeaderProto::ERROR && static_cast<int32_t>(header.callid()) < 0)) {
    return Fail(FailureKind::kRemote, RemoteError(header));
  }
  if (sasl) return OnSasl(reader);
  OnAnswer(header, reader);
}

void Connection::OnSasl(DelimitedReader& reader) {
  const auto bytes = reader.Next();
  RpcSaslProto message;
  if (!bytes || !message.ParsePartialFromArray(bytes->data(), static_cast<int>(bytes->size()))) {
    return Break("the server's SASL message is unreadable");
  }
  if (!UsesSasl(options_)) return Break("the server sent an unexpected SASL message");
  if (protection_) return OnWrapped(message);
  auto reply = negotiation_.Receive(message);
  if (!reply) return Fail(FailureKind::kBroken, reply.error());
  if (*reply) SendSasl(**reply);
  const auto state = negotiation_.state();
  if (state == Negotiation::State::kSimple || state == Negotiation::State::kAuthenticated) OnReady();
}

std::optional<Connection::WantedContext> Connection::TakeContextRequest() {
  if (failure_ || negotiation_.state() != Negotiation::State::kNeedsContext) return std::nullopt;
  if (std::exchange(context_requested_, true)) return std::nullopt;
  return WantedContext{*options_.kerberos, negotiation_.server()};
}

void Connection::UseContext(Result<std::unique_ptr<kerberos::SecurityContext>> context) {
  if (failure_ || negotiation_.state() != Negotiation::State::kNeedsContext) return;
  if (!context) return Fail(FailureKind::kLogin, context.error());
  auto message = negotiation_.UseContext(*std::move(context));
  if (!message) return Fail(FailureKind::kLogin, message.error());
  used_kerberos_ = true;
  SendSasl(*message);
}

void Connection::OnReady() {
  ready_ = true;
  protection_ = negotiation_.protection();
  // Send the context together with the calls, because a server that refuses the context closes the connection.
  const bool simple = negotiation_.state() == Negotiation::State::kSimple;
  std::string frames = ContextFrame(options_, simple           ? Authentication::kSimple
                                              : used_kerberos_ ? Authentication::kKerberos
                                                               : Authentication::kToken);
  for (std::string& frame : std::exchange(waiting_, {})) frames += frame;
  Send(std::move(frames));
}

void Connection::OnWrapped(const RpcSaslProto& message) {
  if (message.state() != RpcSaslProto::WRAP)
    return Break("the server sent a SASL message after the end of the negotiation");
  auto bytes = protection_->Unwrap(message.token());
  if (!bytes) return Fail(FailureKind::kBroken, bytes.error());
  inner_.Append(*bytes);
  TakeFrames(inner_, true);
}

void Connection::OnAnswer(const RpcResponseHeaderProto& header, DelimitedReader& reader) {
  const auto id = static_cast<int32_t>(header.callid());
  if (!ready_) return Break("the server answered a call before the end of the negotiation");
  if (header.status() == RpcResponseHeaderProto::ERROR) {
    if (calls_.erase(id) > 0) answers_.push_back({id, RemoteError(header)});
    return;
  }
  const auto response = reader.Next();
  if (!response || !reader.at_end()) return Break("the server's answer is unreadable");
  if (calls_.erase(id) > 0) answers_.push_back({id, std::string(*response)});
}

}  // namespace howdah::hadoop::rpc
