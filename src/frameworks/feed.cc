#include "howdah/frameworks/feed.h"

#include <algorithm>
#include <string_view>

#include "howdah/feed/shuffle.h"
#include "howdah/frameworks/framework.h"

namespace howdah::frameworks {
namespace {

using jobspec::FeedSpec;
using jobspec::JobSpec;
using jobspec::RoleSpec;

static_assert(jobspec::kLargestShuffle == feed::kLargestPool);

// Whether the framework gives the role another task than training.
bool ServesTrainers(const JobSpec& spec, const RoleSpec& role) {
  const auto is_one_of = [&role](std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), role.name) != names.end();
  };
  return (spec.framework == jobspec::Framework::kTensorflow && is_one_of({"ps", "evaluator"})) ||
         (spec.framework == jobspec::Framework::kMxnet && is_one_of({"scheduler", "server"}));
}

template <typename Select>
std::vector<int> RolesThat(const JobSpec& spec, const Select& select) {
  std::vector<int> roles;
  for (size_t i = 0; i < spec.roles.size(); ++i) {
    if (select(spec.roles[i])) roles.push_back(static_cast<int>(i));
  }
  return roles;
}

feed::Split ToSplit(jobspec::FeedSplit split) {
  switch (split) {
    case jobspec::FeedSplit::kDynamic:
      return feed::Split::kDynamic;
    case jobspec::FeedSplit::kAll:
      return feed::Split::kAll;
    default:
      return feed::Split::kEqual;
  }
}

feed::Remainder ToRemainder(jobspec::FeedRemainder remainder) {
  switch (remainder) {
    case jobspec::FeedRemainder::kShort:
      return feed::Remainder::kShort;
    case jobspec::FeedRemainder::kRepeat:
      return feed::Remainder::kRepeat;
    default:
      return feed::Remainder::kDrop;
  }
}

}  // namespace

std::vector<int> FeedReadersOf(const JobSpec& spec, const FeedSpec& feed) {
  if (!feed.roles.empty()) {
    return RolesThat(spec, [&feed](const RoleSpec& role) {
      return std::find(feed.roles.begin(), feed.roles.end(), role.name) != feed.roles.end();
    });
  }
  const auto is_worker = [](const RoleSpec& role) { return role.kind == jobspec::RoleKind::kWorker; };
  const std::vector<int> trainers =
      RolesThat(spec, [&](const RoleSpec& role) { return is_worker(role) && !ServesTrainers(spec, role); });
  return trainers.empty() ? RolesThat(spec, is_worker) : trainers;
}

feed::Options FeedOptionsOf(const JobSpec& spec, const FeedSpec& feed) {
  const std::vector<bool> together = RulesOf(spec).restarts_together;
  const std::vector<int> readers = FeedReadersOf(spec, feed);
  const bool depend =
      std::any_of(readers.begin(), readers.end(), [&](int role) { return together[static_cast<size_t>(role)]; });
  const auto by_default = depend ? jobspec::FeedSplit::kEqual : jobspec::FeedSplit::kDynamic;
  feed::Options options;
  options.split = ToSplit(feed.split.value_or(by_default));
  options.remainder = ToRemainder(feed.remainder);
  options.passes = feed.stream ? 1 : feed.epochs;
  options.shuffle = feed.shuffle;
  options.seed = static_cast<uint64_t>(feed.seed);
  options.buffer = feed.buffer_bytes;
  options.ranks_restart_alone = !depend && options.split == feed::Split::kDynamic;
  // The order of files differs between the passes of a shuffled feed, so each pass reads them again.
  options.recompute = feed.recompute || (!feed.from.empty() && feed.shuffle > 0);
  options.accept_changes = feed.changed == jobspec::FeedChanged::kAccept;
  options.lost_after = spec.timeouts.feed;
  options.stream = feed.stream;
  options.name = feed.name;
  return options;
}

}  // namespace howdah::frameworks
