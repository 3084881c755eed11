#include "howdah/rpc/am_server.h"

#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server_builder.h>
#include <grpcpp/server_posix.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <unordered_map>
#include <utility>
#include <vector>

#include "am_call.h"
#include "call_server.h"
#include "grpc_setup.h"
#include "howdah/rpc/acceptor.h"
#include "joined_calls.h"
#include "messages.h"
#include "shared_cluster.h"

namespace howdah::rpc {
namespace {

constexpr int kAwaited = 16;  // number of calls that gRPC can accept before the loop runs
constexpr std::chrono::milliseconds kFlushLimit{100};

class Server final : public AmServer, public AmCall::Owner {
 public:
  Server(const Identity& identity, Post post, Handlers handlers)
      : identity_(identity), post_(std::move(post)), handlers_(std::make_shared<const Handlers>(std::move(handlers))) {}
  ~Server() override;

  // wanted: the port to listen on, or 0 for any free port.
  howdah::Status Listen(const std::string& host, uint16_t wanted, Peers peers);

  uint16_t port() const override { return acceptor_->port(); }
  void AddExecutor(os::files::Fd socket) override;
  void Send(ConnectionId to, const wire::ToExecutor& message, std::shared_ptr<const SharedCluster> cluster) override;
  void SendToFollower(ConnectionId to, const wire::FollowReply& message) override { SendMessage(to, message); }
  void SendToFollower(ConnectionId to, const wire::MetricsReply& message) override { SendMessage(to, message); }
  void Join(ConnectionId tunnel, ConnectionId accepted) override { joined_->Join(tunnel, accepted); }
  std::unique_ptr<FrameStream> Serve(ConnectionId tunnel, FrameStream::Handlers handlers) override {
    return joined_->Serve(tunnel, std::move(handlers));
  }
  void Refuse(ConnectionId tunnel, const std::string& why) override;
  void Close(ConnectionId connection) override;

 private:
  // Passes a connection to gRPC.
  void Take(int socket, const std::weak_ptr<char>& alive);
  void AwaitCalls(CallServer& server, int count);
  void OnAccepted(AmCall& call) override;
  void OnMessage(AmCall& call, grpc::ByteBuffer message) override;
  void OnWritten(AmCall& call) override;
  void OnClosed(AmCall& call) override;
  void OnOver(AmCall& call) override {
    joined_->Forget(call.id());
    calls_.erase(call.id());
  }
  void OnExecutorMessage(AmCall& call, grpc::ByteBuffer message);
  void OnControlMessage(AmCall& call, grpc::ByteBuffer message);
  template <typename Request>
  void OnFollowMessage(AmCall& call, grpc::ByteBuffer message,
                       std::function<void(ConnectionId, Request)> Handlers::*on);
  void OnFirstFrame(AmCall& call, grpc::ByteBuffer message);
  void SendMessage(ConnectionId to, const google::protobuf::MessageLite& message);
  AmCall* Find(ConnectionId id);
  bool HasUnsent(const CallServer& server) const;

  const Identity identity_;
  const Post post_;
  // Shared with a running handler, because the handler may destroy this server.
  const std::shared_ptr<const Handlers> handlers_;
  std::shared_ptr<char> alive_ = std::make_shared<char>();  // null when no handler may be called any more
  // The servers are started when they are needed. On the local backend most jobs end before any client calls, and the
  // start of TLS takes some milliseconds.
  std::unique_ptr<CallServer> sockets_;  // serves the sockets of AddExecutor
  std::unique_ptr<CallServer> port_;     // serves the port; set by the acceptor's thread
  std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> to_grpc_;  // used by the acceptor's thread
  std::unique_ptr<Acceptor> acceptor_;
  ConnectionId last_id_ = 0;
  std::unordered_map<ConnectionId, std::unique_ptr<AmCall>> calls_;
  // Shared with running member functions of JoinedCalls, because a handler that they call may destroy this server.
  std::shared_ptr<JoinedCalls> joined_ = std::make_shared<JoinedCalls>([this](ConnectionId id) { return Find(id); });
};

// Whether the messages of the call's method are frames.
bool IsOfFrames(const AmCall& call) { return call.method() == kTunnelMethod || call.method() == kAcceptTunnelMethod; }

// Whether clients use the method to follow the job.
bool IsFollowing(const std::string& method) { return method == kFollowMethod || method == kMetricsMethod; }

// Returns the parties that may call a method. Returns none if the method is unknown.
std::vector<std::string_view> CallersOf(const std::string& method) {
  if (method == kAttachMethod || method == kAcceptTunnelMethod) return {kExecutorName};
  if (method == kCallMethod || IsFollowing(method)) return {kClientName};
  if (method == kTunnelMethod) return {kClientName, kExecutorName};
  return {};
}

std::shared_ptr<grpc::ServerCredentials> MakeCredentials(const Identity& identity) {
  PrepareTls();
  grpc::SslServerCredentialsOptions options(GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  options.pem_root_certs = identity.ca_certificate;
  options.pem_key_cert_pairs.push_back({identity.private_key, identity.certificate});
  return grpc::SslServerCredentials(options);
}

howdah::Status Server::Listen(const std::string& host, uint16_t wanted, Peers peers) {
  HOWDAH_TRY(acceptor_, Acceptor::Listen(host, wanted, Acceptor::Limits(), peers));
  acceptor_->Start([this, alive = std::weak_ptr(alive_)](int socket) { Take(socket, alive); });
  return {};
}

// Called on the acceptor's thread.
void Server::Take(int socket, const std::weak_ptr<char>& alive) {
  if (!port_) {
    port_ = CallServer::Start(post_, [this](grpc::ServerBuilder& builder) {
      to_grpc_ = builder.experimental().AddExternalConnectionAcceptor(
          grpc::ServerBuilder::experimental_type::ExternalConnectionType::FROM_FD, MakeCredentials(identity_));
      builder.AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS,
                                 static_cast<int>(Acceptor::Limits().handshake.count()));
    });
    if (!port_) {
      std::cerr << "serving a connection: gRPC created no server\n";
      ::close(socket);
      return;
    }
    post_([this, alive, server = port_.get()] {
      if (!alive.expired()) AwaitCalls(*server, kAwaited);
    });
  }
  grpc::experimental::ExternalConnectionAcceptor::NewConnectionParameters connection;
  connection.fd = socket;
  to_grpc_->HandleNewConnection(&connection);
}

void Server::AddExecutor(os::files::Fd socket) {
  if (!sockets_) {
    sockets_ = CallServer::Start(post_, [](grpc::ServerBuilder&) {});
    if (!sockets_) {
      std::cerr << "serving an executor: gRPC created no server\n";
      return;
    }
    AwaitCalls(*sockets_, kAwaited);
  }
  grpc::AddInsecureChannelFromFd(&sockets_->server(), socket.Release());
}

Server::~Server() {
  alive_.reset();
  joined_->Detach();
  acceptor_.reset();  // first, because the acceptor's thread uses port_
  for (const auto& server : {sockets_.get(), port_.get()}) {
    if (server == nullptr) continue;
    // Give the last messages (a reply, an order to leave) some time to be sent.
    server->Shutdown(kFlushLimit, [this, server] { return !HasUnsent(*server); });
  }
}

bool Server::HasUnsent(const CallServer& server) const {
  for (const auto& [id, call] : calls_) {
    // Do not wait for followers and frame streams, because the receivers may not be reading.
    if (&call->server() == &server && call->unsent() && !IsFollowing(call->method()) && !IsOfFrames(*call)) return true;
  }
  return false;
}

void Server::AwaitCalls(CallServer& server, int count) {
  for (int i = 0; i < count; ++i) {
    const ConnectionId id = ++last_id_;
    auto& call = calls_[id] = std::make_unique<AmCall>(id, this, server);
    call->Await();
  }
}

void Server::OnAccepted(AmCall& call) {
  if (!alive_) return;
  const bool over_socket = &call.server() == sockets_.get();
  if (!over_socket) acceptor_->OnCall(call.Peer());
  AwaitCalls(call.server(), 1);
  const auto callers = CallersOf(call.method());
  if (callers.empty()) return call.End({grpc::StatusCode::UNIMPLEMENTED, "this AM does not support " + call.method()});
  const std::string name = over_socket ? std::string(kExecutorName) : call.PeerName();
  if (std::find(callers.begin(), callers.end(), name) == callers.end()) {
    return call.End({grpc::StatusCode::PERMISSION_DENIED, "only " + std::string(callers.front()) + " may call " +
                                                              call.method() +
                                                              "; the certificate of the caller is for " + name});
  }
  call.Read();
}

void Server::OnMessage(AmCall& call, grpc::ByteBuffer message) {
  if (!alive_) return;
  if (call.method() == kAttachMethod) {
    OnExecutorMessage(call, std::move(message));
  } else if (IsOfFrames(call)) {
    const auto joined = joined_;
    if (joined->Has(call)) return joined->OnMessage(call, std::move(message));
    OnFirstFrame(call, std::move(message));
  } else if (call.method() == kFollowMethod) {
    OnFollowMessage(call, std::move(message), &Handlers::on_follow);
  } else if (call.method() == kMetricsMethod) {
    OnFollowMessage(call, std::move(message), &Handlers::on_metrics);
  } else {
    OnControlMessage(call, std::move(message));
  }
}

void Server::OnExecutorMessage(AmCall& call, grpc::ByteBuffer bytes) {
  wire::FromExecutor message;
  if (!Parse(std::move(bytes), message)) {
    call.End({grpc::StatusCode::INVALID_ARGUMENT, "the message is not a FromExecutor"});
    return call.Read();  // this read fails and calls OnClosed
  }
  std::weak_ptr<char> alive = alive_;
  auto handlers = handlers_;
  handlers->on_message(call.id(), std::move(message));
  if (!alive.expired()) call.Read();
}

void Server::OnControlMessage(AmCall& call, grpc::ByteBuffer bytes) {
  wire::ControlRequest request;
  if (!Parse(std::move(bytes), request)) {
    return call.End({grpc::StatusCode::INVALID_ARGUMENT, "the message is not a ControlRequest"});
  }
  auto reply = [this, alive = std::weak_ptr(alive_), id = call.id()](const wire::ControlReply& answer) {
    AmCall* asked = alive.expired() ? nullptr : Find(id);
    if (asked == nullptr) return;
    asked->Write(Encode(answer, nullptr));
    asked->End(grpc::Status::OK);
  };
  auto handlers = handlers_;
  handlers->on_control(std::move(request), std::move(reply));
}

template <typename Request>
void Server::OnFollowMessage(AmCall& call, grpc::ByteBuffer bytes,
                             std::function<void(ConnectionId, Request)> Handlers::*on) {
  Request request;
  if (call.follows() || !Parse(std::move(bytes), request)) {
    call.End({grpc::StatusCode::INVALID_ARGUMENT,
              "the message is not a " + Request().GetTypeName() + ", or not the only one"});
    return call.Read();  // this read fails and calls OnClosed
  }
  call.set_follows();
  std::weak_ptr<char> alive = alive_;
  auto handlers = handlers_;
  (*handlers.*on)(call.id(), std::move(request));
  if (!alive.expired()) call.Read();
}

void Server::OnFirstFrame(AmCall& call, grpc::ByteBuffer bytes) {
  wire::Frame frame;
  const bool tunnel = call.method() == kTunnelMethod;
  if (!Parse(bytes, frame) || !(tunnel ? frame.has_open() : frame.kind_case() == wire::Frame::kAcceptTunnel)) {
    call.End({grpc::StatusCode::INVALID_ARGUMENT, "the first frame is not the one required by this call"});
    return call.Read();  // this read fails and calls OnClosed
  }
  auto handlers = handlers_;
  if (!tunnel) return handlers->on_accept_tunnel(call.id(), frame.accept_tunnel());
  joined_->Hold(call, std::move(bytes));
  handlers->on_tunnel(call.id(), std::move(*frame.mutable_open()));
}

void Server::Refuse(ConnectionId tunnel, const std::string& why) {
  AmCall* call = Find(tunnel);
  if (call == nullptr) return;
  wire::Frame frame;
  frame.set_failed(why);
  call->Write(Encode(frame, nullptr));
  call->End(grpc::Status::OK);
}

void Server::OnWritten(AmCall& call) {
  if (alive_ && IsOfFrames(call)) joined_->OnWritten(call);
  if (!alive_ || !call.follows()) return;
  auto handlers = handlers_;
  handlers->on_follow_written(call.id());
}

void Server::OnClosed(AmCall& call) {
  const ConnectionId id = call.id();
  const bool executor = call.method() == kAttachMethod, follows = call.follows();
  if (alive_ && IsOfFrames(call)) {
    const std::weak_ptr<char> alive = alive_;
    const auto joined = joined_;
    joined->OnClosed(call);
    if (alive.expired()) return;
  }
  if (call.over()) calls_.erase(id);
  if (!alive_) return;
  auto handlers = handlers_;
  if (executor) handlers->on_closed(id);
  if (follows) handlers->on_follower_gone(id);
}

AmCall* Server::Find(ConnectionId id) {
  auto it = calls_.find(id);
  return it == calls_.end() ? nullptr : it->second.get();
}

void Server::Send(ConnectionId to, const wire::ToExecutor& message, std::shared_ptr<const SharedCluster> cluster) {
  if (AmCall* call = Find(to)) call->Write(Encode(message, cluster.get()));
}

void Server::SendMessage(ConnectionId to, const google::protobuf::MessageLite& message) {
  if (AmCall* call = Find(to)) call->Write(Encode(message, nullptr));
}

void Server::Close(ConnectionId connection) {
  if (AmCall* call = Find(connection)) call->End(grpc::Status::OK);
}

}  // namespace

Result<std::unique_ptr<AmServer>> AmServer::Start(const std::string& host, const Identity& identity, Post post,
                                                  Handlers handlers, uint16_t port, Peers peers) {
  PrepareGrpc();  // here, because it changes the environment, which another thread may read later
  auto server = std::make_unique<Server>(identity, std::move(post), std::move(handlers));
  if (port != 0 && server->Listen(host, port, peers).ok()) return std::unique_ptr<AmServer>(std::move(server));
  if (auto status = server->Listen(host, 0, peers); !status.ok()) return status.error();
  return std::unique_ptr<AmServer>(std::move(server));
}

}  // namespace howdah::rpc
