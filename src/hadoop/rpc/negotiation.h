// The SASL negotiation of a connection: chooses the mechanism and exchanges its tokens. Pure. Sources:
// org.apache.hadoop.security.SaslRpcClient, org.apache.hadoop.ipc.Server.
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

  // simple_allowed: whether to accept a server without authentication.
  Negotiation(std::vector<MechanismMaker> makers, bool simple_allowed)
      : makers_(std::move(makers)), simple_allowed_(simple_allowed) {}

  static Message Begin();  // returns the NEGOTIATE message
  // Returns the reply to a message, if there is one (see state()). After an error the connection must be closed.
  Result<std::optional<Message>> Receive(const Message& message);

  enum class State { kGoingOn, kSimple, kAuthenticated };
  State state() const { return state_; }
  // Valid after authentication. Null if messages are not wrapped.
  Mechanism* protection() const;

 private:
  Result<std::optional<Message>> Choose(const Message& message);
  Result<std::optional<Message>> Succeed(const Message& message);

  std::vector<MechanismMaker> makers_;
  bool simple_allowed_;
  State state_ = State::kGoingOn;
  std::unique_ptr<Mechanism> mechanism_;  // null until it is chosen
};

}  // namespace howdah::hadoop::rpc
