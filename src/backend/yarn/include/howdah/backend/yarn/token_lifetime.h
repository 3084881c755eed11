// The lifetime of a job's delegation tokens, and their replacement by newer ones. Pure.
#pragma once

#include <optional>

#include "howdah/core/event.h"
#include "howdah/hadoop/rpc/token.h"

namespace howdah::backend::yarn {

// How long the cluster accepts the tokens of the file systems, of KMS and of the ResourceManager: until the first of
// them ends. The ResourceManager renews tokens until the end of their maximum lifetime, because it accepts no job with
// a token that it cannot renew, except those without a renewer. Returns nullopt without such tokens.
std::optional<core::TokensIssued> LifetimeOf(const hadoop::rpc::Credentials& credentials);

// When the oldest of these tokens was issued. Returns nullopt without such tokens.
std::optional<Instant> OldestIssue(const hadoop::rpc::Credentials& credentials);

// Explains a ResourceManager's diagnostics "Failed to renew token: Kind: …, Service: …", which name no reason: the
// facts about the token, and the conditions for its renewal. Returns "" for other diagnostics.
std::string WhyTokenIsNotRenewed(const std::string& diagnostics, const hadoop::rpc::Credentials& credentials);

// Returns new tokens in the form in which clients send them to the AM: with their lifetime, which LifetimeOf returns.
hadoop::rpc::Credentials NewerTokens(hadoop::rpc::Credentials tokens, const core::TokensIssued& issued);

// The credentials of a container with newer tokens. Tokens with the same alias are replaced, all others stay.
hadoop::rpc::Credentials WithNewerTokens(hadoop::rpc::Credentials credentials, const hadoop::rpc::Credentials& newer);

}  // namespace howdah::backend::yarn
