// The facts in a delegation token's identifier.
#pragma once

#include <optional>
#include <string>

#include "howdah/base/result.h"
#include "howdah/base/time.h"
#include "howdah/hadoop/rpc/token.h"

namespace howdah::hadoop::rpc {

inline constexpr const char* kHdfsToken = "HDFS_DELEGATION_TOKEN";
inline constexpr const char* kKmsToken = "kms-dt";
inline constexpr const char* kRmToken = "RM_DELEGATION_TOKEN";
inline constexpr const char* kAmToken = "YARN_AM_RM_TOKEN";  // of an AM, for the ResourceManager; no delegation token

struct TokenIdentifier {
  std::string owner, renewer;  // principals or short names, as the issuer wrote them
  std::string real_user;       // the proxy user that fetched the token for `owner`; may be empty
  Instant issued;
  Instant expires;  // the token's maximum lifetime: renewals do not extend it beyond this time
};

// Parses the identifier of a token of the NameNode, of KMS
// (org.apache.hadoop.security.token.delegation.AbstractDelegationTokenIdentifier) or of the ResourceManager
// (YARNDelegationTokenIdentifierProto). Returns nullopt for other kinds, and for bytes that are no such identifier. Any
// bytes are safe.
std::optional<TokenIdentifier> ParseTokenIdentifier(const Token& token);

// Describes a token for messages: "the token HDFS_DELEGATION_TOKEN of ha-hdfs:ns1 (owner ann@EXAMPLE.COM, renewer yarn,
// issued 2026-11-20T06:45:12.301Z, ends 2026-11-27T06:45:12.301Z)". For other kinds only kind and service are known.
std::string DescribeToken(const Token& token);

// Whether a server has refused the token of the connection: it has expired, or was cancelled.
// (org.apache.hadoop.security.token.SecretManager.InvalidToken)
inline bool IsTokenRefused(const Error& error) { return error.remote_class.ends_with("$InvalidToken"); }

}  // namespace howdah::hadoop::rpc
