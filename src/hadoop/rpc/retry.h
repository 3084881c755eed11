// What to do about a failed attempt of a call. A pure policy: no clock, no connection.
// Fact: org.apache.hadoop.io.retry.RetryPolicies.FailoverOnNetworkExceptionRetry.
#pragma once

#include <cstddef>
#include <string>

#include "howdah/base/result.h"
#include "howdah/base/time.h"
#include "howdah/hadoop/rpc/client_options.h"

namespace howdah::hadoop::rpc {

enum class FailureKind {
  kUnreachable,  // the server cannot know of the call: no such name, refused, no answer, ended before it was sent
  kStale,        // as kLost, on a connection that had been idle and that the server had most likely closed before
  kLost,         // the connection ended after the call was sent: nobody knows whether it was carried out
  kTimeout,      // the call was sent and not answered in time
  kRemote,       // the server answered with an exception
  kBroken,       // the peer is no Hadoop server, or not who it should be
};

struct Failure {
  FailureKind kind = FailureKind::kUnreachable;
  Error error;
};

struct Attempts {
  size_t failed = 0;    // of this call so far, this one included
  size_t servers = 1;   // how many there are
  Duration elapsed{0};  // since the call's beginning
  Repeat repeat = Repeat::kSafe;
};

enum class Verdict { kGiveUp, kSameServer, kNextServer };

struct Decision {
  Verdict verdict = Verdict::kGiveUp;
  Duration wait{0};  // before the next attempt
  friend bool operator==(const Decision&, const Decision&) = default;
};

Decision Decide(const Failure& failure, const Attempts& attempts, const RetryLimits& limits);

}  // namespace howdah::hadoop::rpc
