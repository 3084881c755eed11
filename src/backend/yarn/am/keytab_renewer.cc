#include "keytab_renewer.h"

#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <utility>

#include "howdah/backend/yarn/am_start.h"
#include "howdah/backend/yarn/identity.h"
#include "howdah/backend/yarn/job_tokens.h"

namespace howdah::backend::yarn::am {
namespace {

constexpr Duration kMostNotice = std::chrono::hours(6);
constexpr Duration kShortestPause = std::chrono::seconds(1), kLongestRetry = std::chrono::minutes(10);

}  // namespace

bool HasKeytab() { return ::access(kKeytab, R_OK) == 0; }

Instant RenewalTime(Instant issued, Instant until) {
  return until - std::clamp<Duration>((until - issued) / 4, Duration(0), kMostNotice);
}

Result<hadoop::rpc::Credentials> FetchTokensWithKeytab(const hadoop::conf::Configuration& configuration,
                                                       const jobspec::JobSpec& spec, const std::string& owner) {
  HOWDAH_TRY(
      auto login,
      LogIn(configuration, {.principal = spec.kerberos ? spec.kerberos->principal : "", .keytab = kKeytab, .as = ""}));
  // The job may have been submitted by a proxy user.
  login.on_behalf_of = login.short_name == owner ? "" : owner;
  HadoopClient cluster(configuration, std::move(login));
  return FetchNewerTokens(cluster, spec, core::kRenewedByKeytab);
}

KeytabRenewer::KeytabRenewer(boost::asio::io_context& loop, const os::process::Clock& clock,
                             const hadoop::conf::Configuration& configuration, const jobspec::JobSpec& spec,
                             std::string owner, Instant issued, Instant until, Replace replace)
    : clock_(clock),
      configuration_(configuration),
      spec_(spec),
      owner_(std::move(owner)),
      until_(until),
      replace_(std::move(replace)),
      timer_(loop),
      call_(loop) {
  Wait(issued, until);
}

void KeytabRenewer::Wait(Instant issued, Instant until) {
  until_ = until;
  FetchAfter(RenewalTime(issued, until) - clock_.Now());
}

void KeytabRenewer::Retry() { FetchAfter(std::min((until_ - clock_.Now()) / 8, kLongestRetry)); }

void KeytabRenewer::FetchAfter(Duration pause) {
  timer_.expires_after(std::max(pause, kShortestPause));
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (!error) Fetch();
  });
}

void KeytabRenewer::Fetch() {
  call_.Start([this, configuration = configuration_, spec = spec_, owner = owner_] {
    auto fetched = FetchTokensWithKeytab(configuration, spec, owner);
    return [this, fetched = std::move(fetched)] { OnFetched(fetched); };
  });
}

void KeytabRenewer::OnFetched(const Result<hadoop::rpc::Credentials>& fetched) {
  const auto replaced = fetched.ok() ? replace_(hadoop::rpc::WriteCredentials(*fetched)) : fetched.error();
  if (!replaced.ok()) std::cerr << "replacing the job's tokens with the keytab: " << replaced.error().message << "\n";
  if (!replaced.ok() || !replaced->replaced) return Retry();
  Wait(clock_.Now(), replaced->until);
}

}  // namespace howdah::backend::yarn::am
