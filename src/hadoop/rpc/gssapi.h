// SASL GSSAPI (RFC 4752) with Kerberos, for entries "KERBEROS" of a server's list. Sources: RFC 4752,
// org.apache.hadoop.security.SaslRpcClient.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "howdah/hadoop/kerberos/security_context.h"
#include "howdah/hadoop/principals/protection.h"
#include "howdah/hadoop/sasl/mechanism.h"

namespace howdah::hadoop::rpc {

class Gssapi final : public sasl::Mechanism {
 public:
  // Uses the strongest protection that the server offers, and refuses the server if it is weaker than `weakest`.
  // `weakest_from` is the key that says so, for messages.
  Gssapi(std::unique_ptr<kerberos::SecurityContext> context, principals::Protection weakest, std::string weakest_from);
  ~Gssapi() override;

  Result<std::string> Start(const std::optional<std::string>& challenge) override;
  Result<std::string> Step(std::string_view challenge) override;
  Status Finish(const std::optional<std::string>& token) override;
  principals::Protection protection() const override { return protection_; }
  size_t wrap_size() const override;
  Result<std::string> Wrap(std::string_view bytes) override;
  Result<std::string> Unwrap(std::string_view token) override;

 private:
  Result<std::string> ChooseLayer(std::string_view offer);
  bool confidential() const { return protection_ == principals::Protection::kPrivacy; }

  const std::unique_ptr<kerberos::SecurityContext> context_;
  const principals::Protection weakest_;
  const std::string weakest_from_;
  principals::Protection protection_ = principals::Protection::kAuthentication;
  bool chosen_ = false;   // whether the protection was chosen
  size_t wrap_size_ = 0;  // see sasl::Mechanism
};

}  // namespace howdah::hadoop::rpc
