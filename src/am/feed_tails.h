// The tails of the logs of feeds (feed/log_tail.h): the records that executors get, and how an AM gets them back.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "feed_log.h"
#include "howdah/base/ids.h"
#include "howdah/base/result.h"
#include "howdah/base/time.h"
#include "howdah/feed/log_tail.h"
#include "howdah/wire/executor.pb.h"

namespace howdah::am {

// Sends messages that follow from the logs, with the records that the executor has not got yet. Not thread-safe.
class FeedTails {
 public:
  using Send = std::function<void(const ContainerId&, const wire::ToExecutor&)>;

  explicit FeedTails(Send send) : send_(std::move(send)) {}

  void Order(const std::string& feed, const FeedLog& log, const ContainerId& to, const wire::ToExecutor& message);
  // Sends the records to all of these executors as soon as they are written, because a program relies on one of them.
  // The log must live longer than its last write.
  void Share(const std::string& feed, FeedLog& log, const std::set<ContainerId>& containers);
  // Messages to this executor may have been lost.
  void Forget(const ContainerId& container);

 private:
  // Returns whether there are such records. A log without a term is never lost.
  bool AddTail(const std::string& feed, const FeedLog& log, const ContainerId& to, wire::ToExecutor& message);

  const Send send_;
  // By container and feed: the number of the record that follows those that were sent.
  std::map<ContainerId, std::map<std::string, int64_t>> sent_;
};

// Collects the tails of an AM that was lost with its logs, until each executor with readers has sent its tail, or is
// gone. Messages that need the logs wait until then. Not thread-safe.
class FeedRecovery {
 public:
  // awaited: the executors. until: the limit of the wait.
  FeedRecovery(std::set<ContainerId> awaited, Instant until) : awaited_(std::move(awaited)), until_(until) {}

  bool complete() const { return awaited_.empty(); }
  Instant until() const { return until_; }
  // "c1, c2": the executors that have not sent their tails.
  std::string Awaited() const;

  void Add(const ContainerId& from, const wire::FeedLogTails& tails);
  // The container is gone.
  void Forget(const ContainerId& container);
  // Keeps a message of the executor for Release.
  void Hold(const ContainerId& from, std::function<void()> message) { held_.emplace_back(from, std::move(message)); }
  // The stream of the executor is lost: its messages have no effect.
  void Drop(const ContainerId& from);
  void Release();

  // Adds the records to the log that it lacks.
  Status Extend(const std::string& feed, FeedLog& log) const;
  // Whether the log, after Extend, has all records that the executor has got. If not, its readers cannot continue.
  bool Covers(const std::string& feed, const FeedLog& log, const ContainerId& container) const;
  // A number for the next term of the log: `term`, or a larger one if executors know that.
  int64_t NextTerm(const std::string& feed, int64_t term) const;

 private:
  std::set<ContainerId> awaited_;
  const Instant until_;
  // By container and feed.
  std::map<ContainerId, std::map<std::string, feed::LogPiece>> tails_;
  std::deque<std::pair<ContainerId, std::function<void()>>> held_;
};

}  // namespace howdah::am
