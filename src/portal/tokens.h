// Tokens with which programs use the portal: made by `howdah portal token`, kept as hashes in a file.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/portal/tokens.h"

namespace howdah::portal {

inline constexpr std::string_view kTokenPrefix = "howdah_";  // so that tools that look for leaked secrets recognise it

// The content of the file. Pure.
std::string WriteTokens(const std::vector<Token>& tokens);
// An error if the text is not such a content.
Result<std::vector<Token>> ParseTokens(std::string_view text);

// SHA-256 of the text, in hexadecimal.
std::string HashOf(std::string_view text);

// The token in `Authorization: Bearer TOKEN`. Returns nullopt if the field has another scheme or is malformed. Pure.
std::optional<std::string> BearerOf(std::string_view authorization);

// The caller that sends this token, or a sentence that says why the token admits nobody. Pure.
std::variant<Token, std::string> CheckToken(const std::vector<Token>& tokens, const std::string& text, Instant now);

// Whether the token with this hash admits callers. A later token of the same name is another one. Pure.
bool IsValidToken(const std::vector<Token>& tokens, const std::string& hash, Instant now);

// The tokens of the file, read again whenever the file has changed. Used on one thread; does not block for long.
class TokenFile {
 public:
  explicit TokenFile(std::string home) : home_(std::move(home)) {}
  // An error if the file cannot be read. The result is valid until the next call.
  Result<const std::vector<Token>*> Read();

 private:
  struct Version {
    uint64_t inode = 0;
    int64_t size = 0, modified_nanos = 0;
    friend bool operator==(const Version&, const Version&) = default;
  };
  std::string home_;
  std::optional<Version> version_;  // of tokens_; nullopt if nothing was read, or there is no file
  std::vector<Token> tokens_;
};

}  // namespace howdah::portal
