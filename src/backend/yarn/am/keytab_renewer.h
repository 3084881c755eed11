// Replaces the job's delegation tokens with the keytab of the job file, before they end.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <string>

#include "background_call.h"
#include "howdah/backend/backend.h"
#include "howdah/base/result.h"
#include "howdah/base/time.h"
#include "howdah/hadoop/conf/configuration.h"
#include "howdah/hadoop/rpc/token.h"
#include "howdah/jobspec/job_spec.h"
#include "howdah/os/process/clock.h"

namespace howdah::backend::yarn::am {

// Whether this container has the keytab of the job file. The container's directory must be the current directory.
bool HasKeytab();

// When to fetch new tokens: when a quarter of the present ones' lifetime is left, or six hours.
Instant RenewalTime(Instant issued, Instant until);

// Logs in as the principal of the job file, and fetches new tokens for `owner`, the job's. Blocks for seconds at most.
Result<hadoop::rpc::Credentials> FetchTokensWithKeytab(const hadoop::conf::Configuration& configuration,
                                                       const jobspec::JobSpec& spec, const std::string& owner);

// Used on the AM's loop thread only; the calls are made on another thread.
class KeytabRenewer {
 public:
  using Replace = std::function<Result<backend::Backend::ReplacedTokens>(const std::string& tokens)>;
  // issued, until: the lifetime of the job's present tokens. replace: as Backend::ReplaceTokens. clock, configuration
  // and spec must live longer than this object.
  KeytabRenewer(boost::asio::io_context& loop, const os::process::Clock& clock,
                const hadoop::conf::Configuration& configuration, const jobspec::JobSpec& spec, std::string owner,
                Instant issued, Instant until, Replace replace);

 private:
  // Fetches at the RenewalTime of the present tokens.
  void Wait(Instant issued, Instant until);
  // Fetches again, long before the present tokens end.
  void Retry();
  void OnFetched(const Result<hadoop::rpc::Credentials>& fetched);
  void FetchAfter(Duration pause);
  void Fetch();

  const os::process::Clock& clock_;
  const hadoop::conf::Configuration& configuration_;
  const jobspec::JobSpec& spec_;
  std::string owner_;
  Instant until_;
  Replace replace_;
  boost::asio::steady_timer timer_;
  BackgroundCall call_;
};

}  // namespace howdah::backend::yarn::am
