#include "negotiation.h"

#include <utility>

#include "gssapi.h"
#include "howdah/hadoop/sasl/digest_md5.h"

namespace howdah::hadoop::rpc {

using ::hadoop::common::RpcSaslProto;

MechanismMaker TokenMechanism(Token token, std::string cnonce) {
  return [token = std::move(token),
          cnonce = std::move(cnonce)](const RpcSaslProto::SaslAuth& entry) -> std::unique_ptr<sasl::Mechanism> {
    if (entry.method() != "TOKEN" || entry.mechanism() != "DIGEST-MD5") return nullptr;
    return std::make_unique<sasl::DigestMd5>(sasl::SecretOf(token.identifier, token.password),
                                             entry.protocol() + "/" + entry.serverid(), cnonce);
  };
}

Negotiation::Message Negotiation::Begin() {
  Message message;
  message.set_state(RpcSaslProto::NEGOTIATE);
  return message;
}

sasl::Mechanism* Negotiation::protection() const {
  return state_ == State::kAuthenticated && mechanism_->wrap_size() > 0 ? mechanism_.get() : nullptr;
}

Result<std::optional<Negotiation::Message>> Negotiation::Receive(const Message& message) {
  if (state_ != State::kGoingOn) return Failed("the server sent a SASL message after the end of the negotiation");
  if (!message.has_state()) return Failed("the server sent a SASL message with an unknown state");
  switch (message.state()) {
    case RpcSaslProto::NEGOTIATE:
      return Choose(message);
    case RpcSaslProto::CHALLENGE: {
      if (!mechanism_) return Failed("the server sent a challenge before a mechanism was chosen");
      HOWDAH_TRY(auto token, mechanism_->Step(message.token()));
      Message response;
      response.set_state(RpcSaslProto::RESPONSE);
      response.set_token(token);  // set it even if it is empty, because the server requires it
      return std::optional(std::move(response));
    }
    case RpcSaslProto::SUCCESS:
      return Succeed(message);
    default:
      return Failed("the server sent a SASL message with a state reserved for clients");
  }
}

Result<std::optional<Negotiation::Message>> Negotiation::Succeed(const Message& message) {
  if (!mechanism_) {  // SUCCESS as the first message means that the server requires no authentication
    if (!acceptance_.simple) return SimpleRefused();
    state_ = State::kSimple;
    return std::optional<Message>();
  }
  Status finished = mechanism_->Finish(message.has_token() ? std::optional(message.token()) : std::nullopt);
  if (!finished) return finished.error();
  state_ = State::kAuthenticated;
  return std::optional<Message>();
}

Error Negotiation::SimpleRefused() const {
  return Failed("the server requires no authentication, which is not accepted for this connection" +
                (acceptance_.why_not_simple.empty() ? "" : ": " + acceptance_.why_not_simple));
}

Result<Negotiation::Message> Negotiation::UseContext(std::unique_ptr<kerberos::SecurityContext> context) {
  auto mechanism =
      std::make_unique<Gssapi>(std::move(context), acceptance_.kerberos->weakest, acceptance_.kerberos->weakest_from);
  HOWDAH_TRY(const auto token, mechanism->Start(std::nullopt));
  mechanism_ = std::move(mechanism);
  state_ = State::kGoingOn;
  Message initiate;
  initiate.set_state(RpcSaslProto::INITIATE);
  *initiate.add_auths() = entry_;
  initiate.mutable_auths(0)->clear_challenge();
  initiate.set_token(token);
  return initiate;
}

std::string Negotiation::Description() const {
  if (state_ != State::kAuthenticated) return "";
  const std::string principal = entry_.protocol().empty() ? "" : entry_.protocol() + "/" + entry_.serverid() + ", ";
  return principal + principals::ToText(mechanism_->protection());
}

Result<std::optional<Negotiation::Message>> Negotiation::Choose(const Message& message) {
  if (mechanism_) return Failed("the server started the negotiation a second time");
  std::string offered;
  bool only_simple = true;
  for (const auto& entry : message.auths()) {
    std::unique_ptr<sasl::Mechanism> mechanism;
    const bool simple = entry.method() == "SIMPLE" && acceptance_.simple;
    only_simple = only_simple && (entry.method() == "SIMPLE" || entry.method() == "TOKEN");
    for (const auto& maker : makers_) {
      if (!mechanism) mechanism = maker(entry);
    }
    offered += (offered.empty() ? "" : ", ") + entry.method() +
               (entry.mechanism().empty() ? "" : " (" + entry.mechanism() + ")");
    if (!mechanism && acceptance_.kerberos && entry.method() == "KERBEROS" && entry.mechanism() == "GSSAPI") {
      entry_ = entry;
      state_ = State::kNeedsContext;
      return std::optional<Message>();
    }
    if (!mechanism && !simple) continue;
    Message initiate;
    initiate.set_state(RpcSaslProto::INITIATE);
    *initiate.add_auths() = entry;  // the server rejects an entry that differs from its own
    initiate.mutable_auths(0)->clear_challenge();
    if (simple) {
      state_ = State::kSimple;  // the server sends no answer
      return std::optional(std::move(initiate));
    }
    HOWDAH_TRY(auto token, mechanism->Start(entry.has_challenge() ? std::optional(entry.challenge()) : std::nullopt));
    initiate.set_token(token);  // set it even if it is empty
    mechanism_ = std::move(mechanism);
    return std::optional(std::move(initiate));
  }
  if (only_simple && acceptance_.kerberos && offered.find("SIMPLE") != std::string::npos) return SimpleRefused();
  return Failed("the server accepts only " + (offered.empty() ? "nothing" : offered) + ", none of which is supported");
}

}  // namespace howdah::hadoop::rpc
