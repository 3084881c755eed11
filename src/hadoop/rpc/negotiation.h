// The SASL negotiation of a connection: which mechanism, and its tokens to and fro. Pure.
// Fact: org.apache.hadoop.security.SaslRpcClient, org.apache.hadoop.ipc.Server.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/hadoop/messages/rpc.pb.h"
#include "mechanism.h"

namespace howdah::hadoop::rpc {

class Negotiation {
 public:
  using Message = ::hadoop::common::RpcSaslProto;

  // simple_allowed: whether a server that wants no authentication is accepted.
  Negotiation(std::vector<MechanismMaker> makers, bool simple_allowed)
      : makers_(std::move(makers)), simple_allowed_(simple_allowed) {}

  static Message Begin();  // NEGOTIATE
  // What to send for what came; nothing when nothing is to be sent (see state()). An error ends the connection.
  Result<std::optional<Message>> Receive(const Message& message);

  enum class State { kGoingOn, kSimple, kAuthenticated };
  State state() const { return state_; }
  // Once authenticated: null if nothing is to be wrapped.
  Mechanism* protection() const;

 private:
  Result<std::optional<Message>> Choose(const Message& message);
  Result<std::optional<Message>> Succeed(const Message& message);

  std::vector<MechanismMaker> makers_;
  bool simple_allowed_;
  State state_ = State::kGoingOn;
  std::unique_ptr<Mechanism> mechanism_;  // null: none is chosen yet
};

}  // namespace howdah::hadoop::rpc
