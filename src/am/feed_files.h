// The processes that read the files of a feed.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "feed_log.h"
#include "howdah/base/ids.h"
#include "howdah/feed/event.h"
#include "howdah/wire/executor.pb.h"

namespace howdah::am {

// The list of the files, which one of the processes makes, and the partitions that each process has claimed. Not
// thread-safe.
class FeedFiles {
 public:
  using CallId = std::pair<ContainerId, uint64_t>;
  static constexpr size_t kLongestPlan = size_t{4} << 20;  // bytes

  // reply: sends the reply when the log is written. log must live longer than this object.
  FeedFiles(std::string feed, FeedLog& log, std::function<void(const ContainerId&, const wire::FeedReply&)> reply)
      : feed_(std::move(feed)), log_(log), reply_(std::move(reply)) {}

  // Whether the process may read the partition: it claims none, or no other process has claimed it.
  bool Claim(const ContainerId& from, const wire::FeedAsk& question);
  // A wire::FeedFilePlan. until: how long the reply may wait.
  void OnPlan(const CallId& call, const std::string& text, Instant until);
  // The processes of the executor are gone. lost: so is its stream with all open calls. Returns whether claims have
  // ended.
  bool Forget(const ContainerId& from, bool lost);

  // When OnTime must be called; nullopt: not at all.
  std::optional<Instant> Deadline() const;
  // Answers questions that have waited for too long.
  void OnTime(Instant now);

 private:
  void ReplyPlan(const CallId& call) const;

  const std::string feed_;
  FeedLog& log_;
  const std::function<void(const ContainerId&, const wire::FeedReply&)> reply_;
  // By pass and partition: the executor and the number of the claim.
  std::map<std::pair<int64_t, feed::PartitionId>, std::pair<ContainerId, int>> claims_;
  std::optional<ContainerId> planner_;  // one of its processes makes the list
  std::map<CallId, Instant> waiting_;   // questions for the list
};

}  // namespace howdah::am
