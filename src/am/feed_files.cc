#include "feed_files.h"

#include <algorithm>

namespace howdah::am {

bool FeedFiles::Claim(const ContainerId& from, const wire::FeedAsk& question) {
  if (question.claim() == 0) return true;
  // Older claims have no effect any more.
  claims_.erase(claims_.begin(), claims_.lower_bound({question.pass() - 1, 0}));
  const std::pair claim{from, question.claim()};
  return claims_.try_emplace({question.pass(), question.partition()}, claim).first->second == claim;
}

void FeedFiles::OnPlan(const CallId& call, const std::string& text, Instant until) {
  if (text.size() > kLongestPlan) {
    wire::FeedReply reply;
    reply.set_id(call.second);
    reply.set_error("the list of the files of the feed " + feed_ + " has " + std::to_string(text.size()) +
                    " bytes; the limit is " + std::to_string(kLongestPlan) + ": use fewer and larger files");
    return reply_(call.first, reply);
  }
  if (log_.plan().empty() && !text.empty()) {
    log_.SetPlan(text);
    for (const auto& [waiting, limit] : std::exchange(waiting_, {})) ReplyPlan(waiting);
  }
  if (!log_.plan().empty()) return ReplyPlan(call);
  if (!planner_) planner_ = call.first;
  if (*planner_ == call.first) return ReplyPlan(call);
  waiting_[call] = until;
}

void FeedFiles::ReplyPlan(const CallId& call) const {
  wire::FeedReply reply;
  reply.set_id(call.second);
  reply.set_plan(log_.plan());
  reply.set_make(log_.plan().empty() && planner_ == call.first);
  reply_(call.first, reply);
}

bool FeedFiles::Forget(const ContainerId& from, bool lost) {
  const bool ended = std::erase_if(claims_, [&](const auto& claim) { return claim.second.first == from; }) > 0;
  if (lost) std::erase_if(waiting_, [&](const auto& call) { return call.first.first == from; });
  if (planner_ != from) return ended;
  planner_.reset();
  const auto next =
      std::find_if(waiting_.begin(), waiting_.end(), [&](const auto& call) { return call.first.first != from; });
  if (next == waiting_.end()) return ended;
  planner_ = next->first.first;
  ReplyPlan(next->first);
  waiting_.erase(next);
  return ended;
}

std::optional<Instant> FeedFiles::Deadline() const {
  const auto earliest = std::min_element(waiting_.begin(), waiting_.end(),
                                         [](const auto& a, const auto& b) { return a.second < b.second; });
  return earliest == waiting_.end() ? std::nullopt : std::optional(earliest->second);
}

void FeedFiles::OnTime(Instant now) {
  std::erase_if(waiting_, [&](const auto& call) {
    if (call.second > now) return false;
    ReplyPlan(call.first);
    return true;
  });
}

}  // namespace howdah::am
