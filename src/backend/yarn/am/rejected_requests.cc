#include "rejected_requests.h"

#include <algorithm>

#include "howdah/hadoop/yarn/resource_manager.h"

namespace howdah::backend::yarn::am {
namespace {

// The first answer may be that to an earlier request.
constexpr int kAnswersUntilAccepted = 2;

}  // namespace

bool RejectedRequests::Add(const Error& error, const std::map<int, int>& containers) {
  if (error.remote_class != "org.apache.hadoop.yarn.exceptions.InvalidResourceRequestException") return false;
  // A request that only cancels earlier ones is rejected, too, if no node is large enough for them any more.
  if (containers.empty()) return true;
  if (std::ranges::all_of(containers, [this](const auto& some) { return repeated_.contains(some.first); }))
    return false;
  for (const auto& [role, count] : containers) roles_.insert(role);
  reason_ = hadoop::yarn::FirstLine(error.message);
  return true;
}

std::set<int> RejectedRequests::TakeRepeatable(bool together, const std::optional<hadoop::yarn::Resource>& largest,
                                               const std::function<hadoop::yarn::Resource(int role)>& size_of) {
  std::set<int> repeatable;
  for (const int role : roles_) {
    if (!largest || size_of(role).FitsIn(*largest)) repeatable.insert(role);
  }
  if (repeatable.empty() || (together && repeatable.size() < roles_.size())) return {};
  for (const int role : repeatable) roles_.erase(role);
  if (largest) repeated_.insert(repeatable.begin(), repeatable.end());
  answers_left_ = kAnswersUntilAccepted;
  return repeatable;
}

void RejectedRequests::OnAnswer() {
  if (answers_left_ == 0 || --answers_left_ > 0) return;
  repeated_.clear();
  if (roles_.empty()) reason_.clear();
}

}  // namespace howdah::backend::yarn::am
