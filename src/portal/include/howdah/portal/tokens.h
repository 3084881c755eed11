// The tokens of the personal portal: for scripts, for Prometheus, and for other users whom its owner trusts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/base/time.h"

namespace howdah::portal {

struct Token {
  std::string name;
  std::string hash;  // SHA-256 of the token, in hexadecimal; the token itself is not kept
  bool read_only = false;
  Instant created;
  std::optional<Instant> expires, revoked;
  friend bool operator==(const Token&, const Token&) = default;
};

struct TokenRequest {
  std::string name;  // "" for a free one
  bool read_only = false;
  std::optional<Duration> valid_for;  // nullopt: until it is revoked
};

// The functions below read or change the file of tokens below `home` ($HOWDAH_HOME), which a running portal reads
// again. They may run in several processes at the same time.

struct NewToken {
  std::string text;  // to be shown once
  Token token;
};
// Returns kUsage if the name is in use or invalid.
Result<NewToken> AddToken(const std::string& home, const TokenRequest& request, Instant now);
// The tokens that are not revoked, oldest first.
Result<std::vector<Token>> ListTokens(const std::string& home);
// Returns kNotFound, with the existing names, if there is no such token.
Status RevokeToken(const std::string& home, const std::string& name, Instant now);

}  // namespace howdah::portal
