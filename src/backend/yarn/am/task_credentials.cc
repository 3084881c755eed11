#include "task_credentials.h"

#include <algorithm>
#include <optional>

#include "howdah/backend/yarn/job_credentials.h"
#include "howdah/hadoop/rpc/token_identifier.h"

namespace howdah::backend::yarn::am {
namespace {

using hadoop::rpc::Credentials;
using jobspec::TokenKind;

bool GoesToTasks(const hadoop::rpc::Token& token, const jobspec::TokenRules& rules) {
  if (token.kind == kDockerToken) return false;
  std::optional<TokenKind> kind;
  if (token.kind == hadoop::rpc::kHdfsToken) kind = TokenKind::kHdfs;
  if (token.kind == hadoop::rpc::kKmsToken) kind = TokenKind::kKms;
  if (token.kind == hadoop::rpc::kRmToken) kind = TokenKind::kRm;
  return !kind || std::find(rules.to_tasks.begin(), rules.to_tasks.end(), *kind) != rules.to_tasks.end();
}

}  // namespace

Credentials ExecutorCredentials(const Credentials& of_am, const jobspec::TokenRules& rules) {
  Credentials credentials;
  for (const auto& [alias, token] : of_am.tokens) {
    if (token.kind == hadoop::rpc::kAmToken || (token.kind == hadoop::rpc::kRmToken && !GoesToTasks(token, rules)))
      continue;
    credentials.tokens[alias] = token;
  }
  for (const auto& [alias, secret] : of_am.secrets) {
    if (!alias.starts_with(kAmSecretPrefix)) credentials.secrets[alias] = secret;
  }
  return credentials;
}

Credentials TaskCredentials(const Credentials& of_executor, const jobspec::TokenRules& rules) {
  Credentials credentials = WithoutOwnSecrets(of_executor);
  std::erase_if(credentials.tokens, [&](const auto& entry) { return !GoesToTasks(entry.second, rules); });
  return credentials;
}

}  // namespace howdah::backend::yarn::am
