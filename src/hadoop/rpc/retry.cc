#include "retry.h"

#include <algorithm>

namespace howdah::hadoop::rpc {
namespace {

// The pause after a round of attempts: backoff_first, doubled in each round up to backoff_most.
Duration Backoff(size_t round, const RetryLimits& limits) {
  Duration wait = limits.backoff_first;
  for (; round > 0 && wait < limits.backoff_most; --round) wait *= 2;
  return std::min(wait, limits.backoff_most);
}

// Tries the next server, if there are several. Pauses only if all servers have failed since the last pause.
Decision TryNextServer(const Attempts& attempts, const RetryLimits& limits) {
  const size_t servers = std::max<size_t>(attempts.servers, 1), round = attempts.failed / servers;
  const bool round_over = attempts.failed % servers == 0;
  return {servers > 1 ? Verdict::kNextServer : Verdict::kSameServer,
          round_over ? Backoff(round - 1, limits) : Duration(0)};
}

Decision DecideWithoutLimit(const Failure& failure, const Attempts& attempts, const RetryLimits& limits) {
  const bool safe = attempts.repeat == Repeat::kSafe;
  switch (failure.kind) {
    case FailureKind::kUnreachable:
      return TryNextServer(attempts, limits);
    case FailureKind::kStale:
      if (!safe) return {};
      if (attempts.failed == 1) return {Verdict::kSameServer, Duration(0)};
      return TryNextServer(attempts, limits);
    case FailureKind::kLost:
    case FailureKind::kTimeout:
      return safe ? TryNextServer(attempts, limits) : Decision{};
    case FailureKind::kRemote:
      if (failure.error.remote_class == "org.apache.hadoop.ipc.StandbyException")
        return TryNextServer(attempts, limits);
      if (failure.error.remote_class == "org.apache.hadoop.ipc.RetriableException") {
        return {Verdict::kSameServer, Backoff(attempts.failed - 1, limits)};
      }
      return {};
    case FailureKind::kBroken:
    case FailureKind::kLogin:
      return {};
  }
  return {};
}

}  // namespace

Decision Decide(const Failure& failure, const Attempts& attempts, const RetryLimits& limits) {
  const Decision decision = DecideWithoutLimit(failure, attempts, limits);
  if (attempts.elapsed + decision.wait > limits.give_up) return {};
  return decision;
}

}  // namespace howdah::hadoop::rpc
