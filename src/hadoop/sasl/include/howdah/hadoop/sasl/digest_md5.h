// SASL DIGEST-MD5 (RFC 2831), with which Hadoop authenticates tokens: in RPC (SaslRpcServer) and in connections to
// DataNodes (SaslDataTransferServer).
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "howdah/hadoop/principals/protection.h"
#include "howdah/hadoop/sasl/digest.h"
#include "howdah/hadoop/sasl/digest_challenge.h"
#include "howdah/hadoop/sasl/mechanism.h"

namespace howdah::hadoop::sasl {

struct DigestSecret {
  std::string user, password;
};
// The user and password that stand for a token (SaslRpcServer.encodeIdentifier and encodePassword).
DigestSecret SecretOf(std::string_view identifier, std::string_view password);

// The protections that the client accepts: a mask of principals::Protection, and the key that says so, for messages.
struct Accepted {
  int mask = 7;
  std::string from;
};

class DigestMd5 final : public Mechanism {
 public:
  // `service` is the digest-uri: the protocol, "/" and the server id. `cnonce` must be printable and unique. The
  // mechanism chooses the strongest accepted protection that the server offers: auth-conf (triple DES), then auth-int,
  // then auth.
  DigestMd5(DigestSecret secret, std::string service, std::string cnonce, Accepted accepted = {});
  ~DigestMd5() override;

  Result<std::string> Start(const std::optional<std::string>& challenge) override;
  Result<std::string> Step(std::string_view challenge) override;
  Status Finish(const std::optional<std::string>& token) override;
  principals::Protection protection() const override { return protection_; }
  size_t wrap_size() const override;
  Result<std::string> Wrap(std::string_view bytes) override;
  Result<std::string> Unwrap(std::string_view token) override;

 private:
  Status Choose();
  std::string Response(std::string_view a2_prefix) const;

  const DigestSecret secret_;
  const std::string service_, cnonce_;
  const Accepted accepted_;
  DigestChallenge challenge_;
  std::string qop_;
  principals::Protection protection_ = principals::Protection::kAuthentication;
  std::string ha1_;  // MD5(A1) of RFC 2831
  bool answered_ = false;
  std::string send_key_, receive_key_;  // for integrity protection
  uint32_t sent_ = 0, received_ = 0;    // number of records sent and received
  std::unique_ptr<TripleDes> seal_, unseal_;
};

}  // namespace howdah::hadoop::sasl
