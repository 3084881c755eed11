// The SASL negotiation of a connection: chooses a mechanism, and passes its tokens to the server and back. Pure.
// Sources: org.apache.hadoop.security.SaslRpcClient, org.apache.hadoop.ipc.Server.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/hadoop/kerberos/security_context.h"
#include "howdah/hadoop/messages/rpc.pb.h"
#include "howdah/hadoop/principals/protection.h"
#include "howdah/hadoop/principals/service.h"
#include "howdah/hadoop/rpc/token.h"
#include "howdah/hadoop/sasl/mechanism.h"

namespace howdah::hadoop::rpc {

// Creates the mechanism for an entry of the server's list. Returns null if this maker does not support the entry.
// SIMPLE needs no mechanism.
using MechanismMaker = std::function<std::unique_ptr<sasl::Mechanism>(const ::hadoop::common::RpcSaslProto::SaslAuth&)>;
// Returns the maker for TOKEN entries (DIGEST-MD5). `cnonce`: see sasl::DigestMd5.
MechanismMaker TokenMechanism(Token token, std::string cnonce);

// Which servers are accepted.
struct Acceptance {
  bool simple = false;         // servers that require no authentication
  std::string why_not_simple;  // the keys that forbid them, for messages; may be empty
  // Servers that require Kerberos: the weakest protection that is accepted, and the key that says so.
  struct Kerberos {
    principals::Protection weakest;
    std::string weakest_from;
  };
  std::optional<Kerberos> kerberos;
};

class Negotiation {
 public:
  using Message = ::hadoop::common::RpcSaslProto;

  Negotiation(std::vector<MechanismMaker> makers, Acceptance acceptance)
      : makers_(std::move(makers)), acceptance_(std::move(acceptance)) {}

  static Message Begin();  // returns the NEGOTIATE message
  // Processes a message and returns the reply, or nullopt if none is needed (see state()). After an error the caller
  // must close the connection.
  Result<std::optional<Message>> Receive(const Message& message);

  // Continues a negotiation that needs a context. Returns the INITIATE message.
  Result<Message> UseContext(std::unique_ptr<kerberos::SecurityContext> context);

  // kNeedsContext: the server requires Kerberos; get a ticket for server(), then call UseContext.
  enum class State { kGoingOn, kNeedsContext, kSimple, kAuthenticated };
  State state() const { return state_; }
  principals::Advertised server() const { return {entry_.protocol(), entry_.serverid()}; }
  // The server's principal and the protection, as in "rm/node7, privacy"; without Kerberos only the protection. Empty
  // before authentication, and for servers that require none.
  std::string Description() const;
  // The mechanism that wraps messages, or null if messages are not wrapped. Valid after authentication.
  sasl::Mechanism* protection() const;

 private:
  Result<std::optional<Message>> Choose(const Message& message);
  Result<std::optional<Message>> Succeed(const Message& message);
  Error SimpleRefused() const;

  std::vector<MechanismMaker> makers_;
  const Acceptance acceptance_;
  Message::SaslAuth entry_;  // the server's entry for Kerberos, in the state kNeedsContext
  State state_ = State::kGoingOn;
  std::unique_ptr<sasl::Mechanism> mechanism_;  // null until a mechanism is chosen
};

}  // namespace howdah::hadoop::rpc
