// The SASL negotiation of a connection: chooses a mechanism, and passes its tokens to the server and back. Pure.
// Sources: org.apache.hadoop.security.SaslRpcClient, org.apache.hadoop.ipc.Server.
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

  // simple_allowed: whether a server that requires no authentication is accepted.
  Negotiation(std::vector<MechanismMaker> makers, bool simple_allowed)
      : makers_(std::move(makers)), simple_allowed_(simple_allowed) {}

  static Message Begin();  // returns the NEGOTIATE message
  // Processes a message and returns the reply, or nullopt if none is needed (see state()). After an error the caller
  // must close the connection.
  Result<std::optional<Message>> Receive(const Message& message);

  enum class State { kGoingOn, kSimple, kAuthenticated };
  State state() const { return state_; }
  // The mechanism that wraps messages, or null if messages are not wrapped. Valid after authentication.
  Mechanism* protection() const;

 private:
  Result<std::optional<Message>> Choose(const Message& message);
  Result<std::optional<Message>> Succeed(const Message& message);

  std::vector<MechanismMaker> makers_;
  bool simple_allowed_;
  State state_ = State::kGoingOn;
  std::unique_ptr<Mechanism> mechanism_;  // null until a mechanism is chosen
};

}  // namespace howdah::hadoop::rpc
