// The retry policy: decides what to do after a failed attempt of a call. Pure: no clock, no connection. Source:
// org.apache.hadoop.io.retry.RetryPolicies.FailoverOnNetworkExceptionRetry.
#pragma once

#include <cstddef>
#include <string>

#include "howdah/base/result.h"
#include "howdah/base/time.h"
#include "howdah/hadoop/rpc/client_options.h"

namespace howdah::hadoop::rpc {

enum class FailureKind {
  kUnreachable,  // the call was not sent: unknown host, connection refused, no answer to connecting, or connection lost
  kStale,        // like kLost, but the server had probably closed the idle connection before the call
  kLost,         // the connection ended after the call was sent; the call may have been executed
  kTimeout,      // the call was sent, but not answered in time
  kRemote,       // the server answered with an exception
  kBroken,       // the peer is not a Hadoop server, or failed to authenticate
  kLogin,        // this client has no ticket for the server
};

struct Failure {
  FailureKind kind = FailureKind::kUnreachable;
  Error error;
};

struct Attempts {
  size_t failed = 0;    // number of failed attempts of this call, including this one
  size_t servers = 1;   // number of servers
  Duration elapsed{0};  // since the call began
  Repeat repeat = Repeat::kSafe;
};

enum class Verdict { kGiveUp, kSameServer, kNextServer };

struct Decision {
  Verdict verdict = Verdict::kGiveUp;
  Duration wait{0};  // pause before the next attempt
  friend bool operator==(const Decision&, const Decision&) = default;
};

Decision Decide(const Failure& failure, const Attempts& attempts, const RetryLimits& limits);

}  // namespace howdah::hadoop::rpc
