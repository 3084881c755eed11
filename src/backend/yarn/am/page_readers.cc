#include "page_readers.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

namespace howdah::backend::yarn::am {
namespace {

constexpr Duration kRemembered = std::chrono::minutes(5);
constexpr size_t kMostRemembered = 1000;

}  // namespace

ReadRule::ReadRule(const hadoop::conf::Configuration& configuration, const jobspec::Access& access, std::string owner)
    : owner_(std::move(owner)),
      view_(ToAccessList(access.view)),
      administrators_(ParseAccessList(configuration.Untrimmed("yarn.admin.acl").value_or(""))) {}

std::optional<bool> ReadRule::ByName(const std::string& user) const {
  if (user == owner_ || view_.HasUser(user) || administrators_.HasUser(user)) return true;
  if (view_.groups.empty() && administrators_.groups.empty()) return false;
  return std::nullopt;
}

bool ReadRule::ByGroups(const std::vector<std::string>& groups) const {
  return view_.HasAnyGroup(groups) || administrators_.HasAnyGroup(groups);
}

std::string ReadRule::Refusal(const std::string& user) const {
  return "user " + user + " has no right to read this job of " + owner_ + "; " + GrantRemedy("view", user, owner_);
}

YarnPageReaders::YarnPageReaders(boost::asio::io_context& loop, const os::process::Clock& clock, ReadRule rule,
                                 GroupsOf groups_of)
    : clock_(clock), rule_(std::move(rule)), groups_of_(std::move(groups_of)), call_(loop) {}

void YarnPageReaders::Check(const std::string& user, std::function<void(std::string refusal)> answer) {
  std::optional<bool> may_read = rule_.ByName(user);
  if (const auto known = known_.find(user); !may_read && known != known_.end() && clock_.Now() < known->second.until) {
    may_read = known->second.may_read;
  }
  if (may_read) return answer(*may_read ? "" : rule_.Refusal(user));
  questions_.push_back({user, std::move(answer)});
  if (!call_.running()) LookUpNext();
}

void YarnPageReaders::LookUpNext() {
  if (questions_.empty()) return;
  call_.Start([this, user = questions_.front().user, groups_of = groups_of_] {
    auto groups = groups_of(user);
    return [this, user, groups = std::move(groups)] {
      OnGroups(user, groups);
      LookUpNext();
    };
  });
}

void YarnPageReaders::OnGroups(const std::string& user, const Result<std::vector<std::string>>& groups) {
  if (!groups.ok()) {
    return Answer(user, rule_.Refusal(user) + ". The groups of " + user +
                            " on the application master's node are unknown: " + groups.error().message);
  }
  const bool may_read = rule_.ByGroups(*groups);
  if (known_.size() >= kMostRemembered) known_.clear();
  known_[user] = {may_read, clock_.Now() + kRemembered};
  Answer(user, may_read ? "" : rule_.Refusal(user));
}

void YarnPageReaders::Answer(const std::string& user, const std::string& refusal) {
  const auto first = std::stable_partition(questions_.begin(), questions_.end(),
                                           [&](const Question& question) { return question.user != user; });
  const std::vector<Question> answered(std::make_move_iterator(first), std::make_move_iterator(questions_.end()));
  questions_.erase(first, questions_.end());
  for (const Question& question : answered) question.answer(refusal);
}

std::unique_ptr<backend::PageReaders> MakePageReaders(boost::asio::io_context& loop, const os::process::Clock& clock,
                                                      const hadoop::conf::Configuration& configuration,
                                                      const jobspec::Access& access, const std::string& owner) {
  if (!ChecksAccess(configuration)) return nullptr;
  return std::make_unique<YarnPageReaders>(loop, clock, ReadRule(configuration, access, owner));
}

}  // namespace howdah::backend::yarn::am
