// One connection to a Hadoop server, without a socket: fed with the bytes that come, asked for those that go.
// Hadoop IPC version 9; fact: org.apache.hadoop.ipc.Client, .Server, .RpcConstants.
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
#include "negotiation.h"
#include "retry.h"

namespace howdah::hadoop::rpc {

struct ConnectionOptions {
  std::string protocol;
  std::string user, real_user;             // for SIMPLE
  std::string client_id;                   // 16 bytes, those of every connection of a client
  std::vector<MechanismMaker> mechanisms;  // empty: no SASL, the user is only named
};

struct Answer {
  int32_t call_id = 0;
  Result<std::string> response;  // an error: the server's exception, about this call alone
};

// Not for several threads. After failure() is set nothing more happens.
class Connection {
 public:
  explicit Connection(ConnectionOptions options);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // `id` is not negative and of no other outstanding call; `retry_count` is 0 at first and one more each time the same
  // call is sent again, on whatever connection.
  void Call(int32_t id, int32_t retry_count, std::string_view method, std::string_view request);
  // Its answer will be dropped when it comes.
  void Forget(int32_t id) { calls_.erase(id); }
  // Something that the server ignores: a dead connection fails when it is sent.
  void Ping();

  // What is to be sent, all of it; may be empty. With no authentication nothing is sent before there is a call: the
  // preamble, the context and the first call go in one segment.
  std::string TakeOutput();
  // Any bytes are safe to give.
  void Receive(std::string_view bytes);
  // The server has closed the connection.
  void ReceiveEnd();
  // Of calls that were neither forgotten nor answered before, in the order in which they came.
  std::vector<Answer> TakeAnswers();

  // Calls may go out.
  bool ready() const { return ready_; }
  // Whether there is a call that is neither answered nor forgotten.
  bool awaiting() const { return !calls_.empty(); }
  // Whether the call was in what TakeOutput returned.
  bool WasSent(int32_t id) const;
  // kRemote: a FATAL answer; kLost: the end; kBroken: anything that a Hadoop server does not do.
  const std::optional<Failure>& failure() const { return failure_; }

 private:
  bool Foreign();
  bool TakeFrames(FrameBuffer& buffer, bool unwrapped);
  void OnFrame(std::string_view body, bool unwrapped);
  void OnSasl(DelimitedReader& reader);
  void OnWrapped(const ::hadoop::common::RpcSaslProto& message);
  void OnAnswer(const ::hadoop::common::RpcResponseHeaderProto& header, DelimitedReader& reader);
  void OnReady(bool simple);
  void Send(std::string frame);
  void SendSasl(const ::hadoop::common::RpcSaslProto& message);
  std::string Header(int32_t call_id, int32_t retry_count) const;
  std::string Context(bool with_user) const;
  void Fail(FailureKind kind, Error error);
  void Break(std::string why) { Fail(FailureKind::kBroken, Failed(std::move(why))); }

  const ConnectionOptions options_;
  Negotiation negotiation_;
  Mechanism* protection_ = nullptr;  // null: nothing is wrapped
  bool begun_ = false, ready_ = false;
  std::string output_;
  std::vector<std::string> waiting_;  // frames of calls, until the connection is ready
  std::map<int32_t, bool> calls_;     // outstanding; whether sent
  std::vector<int32_t> unsent_;       // in output_
  FrameBuffer outer_, inner_;         // as they arrive; unwrapped
  bool answered_ = false;             // a whole frame has come
  std::vector<Answer> answers_;
  std::optional<Failure> failure_;
};

}  // namespace howdah::hadoop::rpc
