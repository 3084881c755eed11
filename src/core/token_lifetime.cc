#include "token_lifetime.h"

#include <algorithm>

#include "recorder.h"

namespace howdah::core {
namespace {

// How long before their end the journal warns of it. The warning about short-lived tokens must not come with their
// issue. An AM with a keytab begins to replace tokens earlier than this notice, so the warning means that it has
// failed.
Duration NoticeOf(Duration lifetime, const std::string& by) {
  if (by == kRenewedByKeytab) return std::min<Duration>(std::chrono::hours(3), lifetime / 8);
  return std::min<Duration>(std::chrono::hours(24), lifetime / 4);
}

}  // namespace

void TokenLifetime::On(const TokensIssued& e) {
  if (present_ && e.until <= present_->until) return;
  present_ = e;
  recorder_.Write(
      TokensChanged{e.renewed ? TokensChanged::Type::kRenewed : TokensChanged::Type::kIssued, e.until, e.by});
  context_.timers.Disarm(JobTimer::kTokens);
  const Duration lifetime = std::max<Duration>(e.until - context_.now, Duration(0));
  context_.timers.Arm(JobTimer::kTokens, e.until - NoticeOf(lifetime, e.by));
}

void TokenLifetime::Fire() {
  recorder_.Write(TokensChanged{TokensChanged::Type::kExpiring, present_->until, present_->by});
}

}  // namespace howdah::core
