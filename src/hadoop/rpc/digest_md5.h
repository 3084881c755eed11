// SASL DIGEST-MD5 (RFC 2831) with Hadoop tokens, for the protocol "" and server id "default" of SaslRpcServer.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "digest.h"
#include "digest_challenge.h"
#include "howdah/hadoop/rpc/token.h"
#include "mechanism.h"

namespace howdah::hadoop::rpc {

class DigestMd5 final : public Mechanism {
 public:
  // `service` is the digest-uri: the protocol, "/" and the server id. `cnonce` must be printable and unique. The
  // mechanism chooses the strongest protection that the server offers: auth-conf (triple DES), then auth-int, then
  // auth.
  DigestMd5(const Token& token, std::string service, std::string cnonce);
  ~DigestMd5() override;

  Result<std::string> Start(const std::optional<std::string>& challenge) override;
  Result<std::string> Step(std::string_view challenge) override;
  Status Finish(const std::optional<std::string>& token) override;
  size_t wrap_size() const override;
  Result<std::string> Wrap(std::string_view bytes) override;
  Result<std::string> Unwrap(std::string_view token) override;

 private:
  enum class Protection { kNone, kIntegrity, kPrivacy };
  Status Choose();
  std::string Response(std::string_view a2_prefix) const;

  const std::string user_, password_, service_, cnonce_;
  DigestChallenge challenge_;
  std::string qop_;
  Protection protection_ = Protection::kNone;
  std::string ha1_;  // MD5(A1) of RFC 2831
  bool answered_ = false;
  std::string send_key_, receive_key_;  // for integrity protection
  uint32_t sent_ = 0, received_ = 0;    // number of records sent and received
  std::unique_ptr<TripleDes> seal_, unseal_;
};

// Returns the maker for TOKEN entries in the server's list. `cnonce`: see DigestMd5.
MechanismMaker TokenMechanism(Token token, std::string cnonce);

}  // namespace howdah::hadoop::rpc
