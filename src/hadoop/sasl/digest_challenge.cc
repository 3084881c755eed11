#include "howdah/hadoop/sasl/digest_challenge.h"

#include <optional>
#include <utility>

#include "howdah/base/number.h"

namespace howdah::hadoop::sasl {
namespace {

using Directive = std::pair<std::string, std::string>;

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

void SkipSpace(std::string_view& text) {
  while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
}

// Parses the rest of a quoted string, after its opening quote, with backslash escapes. Returns nullopt if the closing
// quote is missing.
std::optional<std::string> Quoted(std::string_view& text) {
  std::string value;
  while (!text.empty()) {
    const char c = text.front();
    text.remove_prefix(1);
    if (c == '"') return value;
    if (c == '\\') {
      if (text.empty()) return std::nullopt;
      value += text.front();
      text.remove_prefix(1);
    } else {
      value += c;
    }
  }
  return std::nullopt;
}

std::string Word(std::string_view& text, std::string_view ends) {
  std::string word;
  while (!text.empty() && !IsSpace(text.front()) && ends.find(text.front()) == std::string_view::npos) {
    word += text.front();
    text.remove_prefix(1);
  }
  return word;
}

std::optional<std::vector<Directive>> Directives(std::string_view text) {
  std::vector<Directive> directives;
  for (;;) {
    SkipSpace(text);
    if (text.empty()) return directives;
    if (text.front() == ',') {  // RFC 2831 allows empty elements
      text.remove_prefix(1);
      continue;
    }
    std::string name = Word(text, "=,\"");
    SkipSpace(text);
    if (name.empty() || text.empty() || text.front() != '=') return std::nullopt;
    text.remove_prefix(1);
    SkipSpace(text);
    if (!text.empty() && text.front() == '"') {
      text.remove_prefix(1);
      auto value = Quoted(text);
      if (!value) return std::nullopt;
      directives.emplace_back(std::move(name), *std::move(value));
    } else {
      directives.emplace_back(std::move(name), Word(text, ","));
    }
    SkipSpace(text);
    if (!text.empty() && text.front() != ',') return std::nullopt;
  }
}

std::vector<std::string> List(std::string_view text) {
  std::vector<std::string> items;
  while (!text.empty()) {
    if (text.front() == ',' || IsSpace(text.front())) {
      text.remove_prefix(1);
    } else {
      items.push_back(Word(text, ","));
    }
  }
  return items;
}

}  // namespace

Result<DigestChallenge> ParseDigestChallenge(std::string_view text) {
  const std::string doing = "reading the server's DIGEST-MD5 challenge: ";
  const auto directives = Directives(text);
  if (!directives) return Failed(doing + "it is not a list of name=value pairs");
  DigestChallenge challenge;
  bool realm_seen = false;
  std::string algorithm;
  for (const auto& [name, value] : *directives) {
    if (name == "realm" && !realm_seen) {
      challenge.realm = value;
      realm_seen = true;
    } else if (name == "nonce") {
      if (!challenge.nonce.empty()) return Failed(doing + "it has two nonces");
      challenge.nonce = value;
    } else if (name == "qop") {
      challenge.qops = List(value);
    } else if (name == "cipher") {
      challenge.ciphers = List(value);
    } else if (name == "algorithm") {
      algorithm = value;
    } else if (name == "maxbuf") {
      const auto size = ParseNumber<uint32_t>(value);
      if (!size) return Failed(doing + "maxbuf is not a number");
      challenge.max_buffer = *size;
    }
  }
  if (challenge.nonce.empty()) return Failed(doing + "it has no nonce");
  if (algorithm != "md5-sess") return Failed(doing + "algorithm '" + algorithm + "' is not md5-sess");
  if (challenge.qops.empty()) challenge.qops = {"auth"};
  return challenge;
}

std::string FindDirective(std::string_view text, std::string_view name) {
  for (const auto& [found, value] : Directives(text).value_or(std::vector<Directive>())) {
    if (found == name) return value;
  }
  return {};
}

}  // namespace howdah::hadoop::sasl
