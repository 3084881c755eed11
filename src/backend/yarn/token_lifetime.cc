#include "howdah/backend/yarn/token_lifetime.h"

#include <algorithm>

#include "howdah/base/time.h"
#include "howdah/hadoop/rpc/token_identifier.h"

namespace howdah::backend::yarn {
namespace {

// Secrets that describe newer tokens. They are among those that only the AM gets.
constexpr char kUntil[] = "howdah.am.tokens.until", kBy[] = "howdah.am.tokens.by";

std::string SecretOf(const hadoop::rpc::Credentials& credentials, const char* alias) {
  const auto found = credentials.secrets.find(alias);
  return found == credentials.secrets.end() ? "" : found->second;
}

}  // namespace

std::optional<core::TokensIssued> LifetimeOf(const hadoop::rpc::Credentials& credentials) {
  if (const auto until = ParseInstant(SecretOf(credentials, kUntil))) {
    return core::TokensIssued{*until, SecretOf(credentials, kBy), /*renewed=*/true};
  }
  std::optional<core::TokensIssued> issued;
  for (const auto& [alias, token] : credentials.tokens) {
    const auto identifier = hadoop::rpc::ParseTokenIdentifier(token);
    if (!identifier) continue;
    if (!issued) issued = core::TokensIssued{identifier->expires, core::kRenewedByRm};
    issued->until = std::min(issued->until, identifier->expires);
    if (identifier->renewer.empty()) issued->by.clear();
  }
  return issued;
}

std::optional<Instant> OldestIssue(const hadoop::rpc::Credentials& credentials) {
  std::optional<Instant> oldest;
  for (const auto& [alias, token] : credentials.tokens) {
    const auto identifier = hadoop::rpc::ParseTokenIdentifier(token);
    if (identifier) oldest = std::min(oldest.value_or(identifier->issued), identifier->issued);
  }
  return oldest;
}

std::string WhyTokenIsNotRenewed(const std::string& diagnostics, const hadoop::rpc::Credentials& credentials) {
  if (diagnostics.find("Failed to renew token") == std::string::npos) return "";
  std::string text =
      "; the ResourceManager renews a token only if it is valid, names the ResourceManager as its renewer, "
      "and if its service is in the ResourceManager's own configuration";
  for (const auto& [alias, token] : credentials.tokens) {
    const bool named = diagnostics.find("Service: " + token.service + ",") != std::string::npos &&
                       diagnostics.find("Kind: " + token.kind) != std::string::npos;
    if (named) text += "; it has refused " + hadoop::rpc::DescribeToken(token);
  }
  return text;
}

hadoop::rpc::Credentials NewerTokens(hadoop::rpc::Credentials tokens, const core::TokensIssued& issued) {
  tokens.secrets = {{kUntil, FormatInstant(issued.until)}, {kBy, issued.by}};
  return tokens;
}

hadoop::rpc::Credentials WithNewerTokens(hadoop::rpc::Credentials credentials, const hadoop::rpc::Credentials& newer) {
  for (const auto& [alias, token] : newer.tokens) credentials.tokens[alias] = token;
  for (const char* alias : {kUntil, kBy}) {
    if (newer.secrets.contains(alias)) credentials.secrets[alias] = newer.secrets.at(alias);
  }
  return credentials;
}

}  // namespace howdah::backend::yarn
