// One incoming call of any gRPC method at the AM's server. It sends and receives raw messages, and queues messages to
// send.
#pragma once

#include <grpcpp/support/byte_buffer.h>

#include <deque>
#include <string>

#include "call_server.h"
#include "howdah/rpc/am_server.h"

namespace howdah::rpc {

// Used on the loop thread only. Every operation calls Owner as its last action, because Owner may destroy the call.
class AmCall {
 public:
  class Owner {
   public:
    virtual void OnAccepted(AmCall& call) = 0;  // a client has opened the call
    virtual void OnMessage(AmCall& call, grpc::ByteBuffer message) = 0;
    virtual void OnWritten(AmCall& call) = 0;  // one message was sent; not called after a failure
    virtual void OnClosed(AmCall& call) = 0;   // the peer sends nothing more, and the call ends
    virtual void OnOver(AmCall& call) = 0;     // over() has become true

   protected:
    ~Owner() = default;
  };

  AmCall(ConnectionId id, Owner* owner, CallServer& server) : id_(id), owner_(owner), server_(server) {}
  AmCall(const AmCall&) = delete;
  AmCall& operator=(const AmCall&) = delete;

  void Await();
  void Read();  // reads one message; OnMessage or OnClosed follows
  void Write(grpc::ByteBuffer message);
  void End(grpc::Status status);  // ends the call after the queued messages were sent

  ConnectionId id() const { return id_; }
  CallServer& server() const { return server_; }  // the server at which the call arrives
  const std::string& method() const { return context_.method(); }
  std::string Peer() const { return context_.peer(); }  // the peer's address
  std::string PeerName() const;                         // the common name of the peer's certificate
  // Whether this call of the method Follow or Metrics has received its request.
  bool follows() const { return follows_; }
  void set_follows() { follows_ = true; }
  bool unsent() const { return writing_ || ending_ != ended_; }
  bool over() const { return ended_ && pending_ == 0; }  // the call has ended, and gRPC holds no operation of it

 private:
  void OnRequested(bool ok);
  void OnRead(bool ok);
  void OnWrote(bool ok);
  void OnEnded(bool ok);
  void WriteNext();

  const ConnectionId id_;
  Owner* const owner_;
  CallServer& server_;
  grpc::GenericServerContext context_;
  grpc::GenericServerAsyncReaderWriter stream_{&context_};
  grpc::ByteBuffer incoming_;
  std::deque<grpc::ByteBuffer> queued_;
  grpc::Status status_;
  int pending_ = 0;
  bool follows_ = false;
  bool writing_ = false, ending_ = false, end_begun_ = false, ended_ = false;

  OperationOf<AmCall, &AmCall::OnRequested> on_requested_{this};
  OperationOf<AmCall, &AmCall::OnRead> on_read_{this};
  OperationOf<AmCall, &AmCall::OnWrote> on_wrote_{this};
  OperationOf<AmCall, &AmCall::OnEnded> on_ended_{this};
};

}  // namespace howdah::rpc
