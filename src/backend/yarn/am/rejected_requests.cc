#include "rejected_requests.h"

#include <algorithm>

namespace howdah::backend::yarn::am {
namespace {

// The first answer may be that to an earlier request.
constexpr int kAnswersUntilAccepted = 2;

}  // namespace

bool RejectedRequests::Add(const Error& error, const std::map<int, int>& containers) {
  if (error.remote_class != "org.apache.hadoop.yarn.exceptions.InvalidResourceRequestException") return false;
  if (std::ranges::all_of(containers, [this](const auto& some) { return repeated_.contains(some.first); }))
    return false;
  for (const auto& [role, count] : containers) containers_[role] += count;
  return true;
}

std::map<int, int> RejectedRequests::TakeRepeatable(bool together, const std::optional<hadoop::yarn::Resource>& largest,
                                                    const std::function<hadoop::yarn::Resource(int role)>& size_of) {
  std::map<int, int> repeatable;
  for (const auto& [role, count] : containers_) {
    if (!largest || size_of(role).FitsIn(*largest)) repeatable[role] = count;
  }
  if (together && repeatable.size() < containers_.size()) return {};
  for (const auto& [role, count] : repeatable) {
    containers_.erase(role);
    if (!largest) continue;
    repeated_.insert(role);
    answers_left_ = kAnswersUntilAccepted;
  }
  return repeatable;
}

void RejectedRequests::OnAnswer() {
  if (answers_left_ > 0 && --answers_left_ == 0) repeated_.clear();
}

int RejectedRequests::count(int role) const {
  const auto found = containers_.find(role);
  return found == containers_.end() ? 0 : found->second;
}

}  // namespace howdah::backend::yarn::am
