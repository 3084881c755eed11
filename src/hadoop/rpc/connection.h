// One connection to a Hadoop server, as a state machine without a socket: the owner passes in the received bytes and
// sends the output. Implements Hadoop IPC version 9. Sources: org.apache.hadoop.ipc.Client, .Server, .RpcConstants.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frame.h"
#include "howdah/base/result.h"
#include "howdah/hadoop/messages/rpc.pb.h"
#include "howdah/hadoop/rpc/client_options.h"
#include "negotiation.h"
#include "retry.h"

namespace howdah::hadoop::rpc {

struct ConnectionOptions {
  std::string protocol;
  std::string user, real_user;             // for connections without authentication (SIMPLE)
  std::string client_id;                   // 16 bytes, the same for all connections of a client
  std::vector<MechanismMaker> mechanisms;  // if empty and without Kerberos, SASL is not used
  std::optional<KerberosLogin> kerberos = {};
  std::string why_not_simple = {};  // see Login
};

struct Answer {
  int32_t call_id = 0;
  Result<std::string> response;  // an error is an exception that the server returned for this call
};

// Not thread-safe. Does nothing any more once failure() is set.
class Connection {
 public:
  explicit Connection(ConnectionOptions options);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // `id` must not be negative and must differ from the ids of outstanding calls. `retry_count` is 0 when the call is
  // sent for the first time, and increases each time it is sent again, on this or another connection.
  void Call(int32_t id, int32_t retry_count, std::string_view method, std::string_view request);
  // Drops the call's answer if it arrives.
  void DropAnswer(int32_t id) { calls_.erase(id); }
  // Sends a message that the server ignores, so that the kernel notices a dead connection.
  void Ping();

  // Returns all bytes to send; may be empty. Without authentication nothing is sent before the first call, so that
  // preamble, context and first call are sent in one segment.
  std::string TakeOutput();
  // Processes received bytes. Any bytes are safe.
  void Receive(std::string_view bytes);
  // Call when the server has closed the connection.
  void ReceiveEnd();
  // Returns the answers since the last call of this function, in order of arrival. Omits answers to calls that were
  // passed to DropAnswer.
  std::vector<Answer> TakeAnswers();

  // If the server requires Kerberos, returns its principal, once. The owner must then call UseContext with a context
  // from `login`, which is that of the options.
  struct WantedContext {
    const KerberosLogin& login;
    principals::Advertised server;
  };
  std::optional<WantedContext> TakeContextRequest();
  // Continues with a context for this server, or fails with an error.
  void UseContext(Result<std::unique_ptr<kerberos::SecurityContext>> context);

  // See Negotiation::Description.
  std::string security() const { return negotiation_.Description(); }
  // Whether the handshake is complete.
  bool ready() const { return ready_; }
  // Whether the answer of any call is outstanding.
  bool awaiting() const { return !calls_.empty(); }
  // Whether TakeOutput has returned the call with this id.
  bool WasSent(int32_t id) const;
  // Set once the connection has failed. kRemote: the server sent a FATAL answer. kLost: the connection ended. kBroken:
  // the peer violated the protocol.
  const std::optional<Failure>& failure() const { return failure_; }

 private:
  bool DetectOtherProtocol();
  bool TakeFrames(FrameBuffer& buffer, bool unwrapped);
  void OnFrame(std::string_view body, bool unwrapped);
  void OnSasl(DelimitedReader& reader);
  void OnWrapped(const ::hadoop::common::RpcSaslProto& message);
  void OnAnswer(const ::hadoop::common::RpcResponseHeaderProto& header, DelimitedReader& reader);
  void OnReady();
  void Send(std::string frame);
  void SendSasl(const ::hadoop::common::RpcSaslProto& message);
  void Fail(FailureKind kind, Error error);
  void Break(std::string why) { Fail(FailureKind::kBroken, Failed(std::move(why))); }

  const ConnectionOptions options_;
  Negotiation negotiation_;
  sasl::Mechanism* protection_ = nullptr;  // null if messages are sent without a security layer
  bool begun_ = false, ready_ = false;
  bool context_requested_ = false;  // whether TakeContextRequest has returned the server
  bool used_kerberos_ = false;      // whether the server has authenticated the user with Kerberos
  std::string output_;
  std::vector<std::string> waiting_;  // calls queued until the handshake is complete
  std::map<int32_t, bool> calls_;     // outstanding calls; the value is true once the call was sent
  std::vector<int32_t> unsent_;       // ids of the calls in output_
  FrameBuffer outer_, inner_;         // outer_: the received frames; inner_: the frames in wrapped messages
  bool answered_ = false;             // whether a whole frame has been received
  std::vector<Answer> answers_;
  std::optional<Failure> failure_;
};

}  // namespace howdah::hadoop::rpc
