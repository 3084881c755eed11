#include "howdah/autoscale/gang_plan.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "howdah/admission/room.h"
#include "howdah/base/text.h"
#include "rounding.h"

namespace howdah::autoscale {
namespace {

using admission::Resources;
using admission::Room;
using admission::Tasks;

Resources TotalOf(const std::vector<admission::Node>& nodes) {
  Resources total;
  for (const admission::Node& node : nodes) total += node.total;
  return total;
}

// Nodes with their room, and which of them have been used.
class Pool {
 public:
  explicit Pool(std::vector<admission::Node> nodes) : nodes_(std::move(nodes)), room_(nodes_, Room::Use::kPresent) {}
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  // Places as many tasks as possible, and removes them from `tasks`.
  void Place(std::vector<Tasks>& tasks) {
    for (const auto& [position, task] : room_.StartSome(tasks)) newly_used_.insert(position);
  }
  void Commit() {
    used_.merge(newly_used_);
    newly_used_.clear();
    mark_ = room_.Mark();
  }
  void Rollback() {
    room_.Rollback(mark_);
    newly_used_.clear();
  }
  // The nodes that are used, with those since the last Commit.
  size_t used_count() const {
    return used_.size() +
           static_cast<size_t>(std::ranges::count_if(newly_used_, [&](size_t at) { return !used_.contains(at); }));
  }
  std::vector<std::string> UsedNames() const {
    std::vector<std::string> names;
    for (const size_t at : used_) names.push_back(nodes_[at].name);
    return names;
  }

 private:
  const std::vector<admission::Node> nodes_;
  Room room_;
  size_t mark_ = 0;
  std::set<size_t> used_, newly_used_;  // positions
};

Pool EmptyNodes(const Offer& offer) {
  return Pool(std::vector<admission::Node>(static_cast<size_t>(std::max(offer.most, 0)),
                                           {"", offer.node.size, offer.node.size}));
}

// The nodes that can be ordered from one group.
struct OpenOffer {
  explicit OpenOffer(const Offer& terms) : offer(terms), pool(EmptyNodes(terms)) {}

  const Offer& offer;
  Pool pool;
  int extra = 0, committed_extra = 0;  // nodes that only raise the limit of a queue

  int added() const { return static_cast<int>(pool.used_count()) + extra; }
  int left() const { return offer.most - added(); }
};

class Planner {
 public:
  Planner(const std::map<std::string, Partition>& partitions, const std::vector<Offer>& offers)
      : partitions_(partitions) {
    for (const auto& [label, partition] : partitions) {
      existing_.emplace(label, partition.nodes);
      draining_.emplace(label, partition.draining);
      totals_[label] = TotalOf(partition.nodes);
    }
    for (const Offer& offer : offers) offers_.push_back(std::make_unique<OpenOffer>(offer));
    std::ranges::stable_sort(offers_, {}, [](const auto& open) { return open->offer.cost; });
  }

  void Add(const Wanted& wanted) {
    std::vector<Tasks> rest = wanted.tasks;
    const Sizes before = added();
    const size_t draining_before = draining_used();
    PlaceIn(existing_, wanted.label, rest);
    PlaceIn(draining_, wanted.label, rest);
    for (const auto& open : offers_) {
      if (open->offer.node.label == wanted.label) open->pool.Place(rest);
    }
    const bool served = rest.empty() || !wanted.whole;
    std::string fault = served ? RaiseLimits(wanted) : DoesNotFit(wanted, rest);
    if (!fault.empty()) {
      Rollback();
      plan_.unserved.push_back({wanted.id, std::move(fault)});
      return;
    }
    Commit(wanted);
    plan_.limited = plan_.limited || FindShare(wanted) != nullptr;
    if (added() == before && draining_used() == draining_before) return;
    plan_.served.push_back(wanted.id);
    steps_.push_back(added());
  }

  GangPlan Finish(double up_factor) {
    const Sizes all = added();
    // A part of the nodes is ordered for whole gangs only.
    const int allowed = static_cast<int>(std::ceil(all.total() * up_factor - kRounding));
    for (const Sizes& step : steps_) {
      if (up_factor > 0 && (plan_.add.total() == 0 || step.total() <= allowed)) plan_.add = step;
    }
    for (const auto& [label, pool] : existing_) {
      for (std::string& name : pool.UsedNames()) plan_.used.insert(std::move(name));
    }
    for (const auto& [label, pool] : draining_) {
      for (std::string& name : pool.UsedNames()) plan_.cancel.push_back(std::move(name));
    }
    return std::move(plan_);
  }

 private:
  // The amounts that the plan gives to a queue.
  struct Planned {
    Resources all, ams;
  };

  static void PlaceIn(std::map<std::string, Pool>& pools, const std::string& label, std::vector<Tasks>& tasks) {
    if (const auto found = pools.find(label); found != pools.end()) found->second.Place(tasks);
  }

  Sizes added() const {
    Sizes sizes;
    for (const auto& open : offers_) sizes.of(open->offer.group) += open->added();
    return sizes;
  }
  size_t draining_used() const {
    size_t count = 0;
    for (const auto& [label, pool] : draining_) count += pool.used_count();
    return count;
  }

  void Commit(const Wanted& wanted) {
    ForEachPool([](Pool& pool) { pool.Commit(); });
    for (const auto& open : offers_) open->committed_extra = open->extra;
    Planned& planned = planned_[wanted.label][wanted.queue];
    planned.all += admission::SumOf(wanted.tasks);
    planned.ams += wanted.am;
  }
  void Rollback() {
    ForEachPool([](Pool& pool) { pool.Rollback(); });
    for (const auto& open : offers_) open->extra = open->committed_extra;
  }
  template <typename Visit>
  void ForEachPool(const Visit& visit) {
    for (auto& [label, pool] : existing_) visit(pool);
    for (auto& [label, pool] : draining_) visit(pool);
    for (const auto& open : offers_) visit(open->pool);
  }

  // Adds nodes until the queue may use what the job needs. Returns "" or the limit that prevents it.
  std::string RaiseLimits(const Wanted& wanted) {
    const QueueShare* const share = FindShare(wanted);
    if (share == nullptr) return "";
    const Planned& planned = planned_[wanted.label][wanted.queue];
    const Resources all = share->used + planned.all + admission::SumOf(wanted.tasks);
    const Resources ams = share->used_by_ams + planned.ams + wanted.am;
    for (;;) {
      const Resources total = TotalWithAdded(wanted.label);
      const bool fits_all = FitsShare(all, total, share->most);
      // The scheduler starts the first AM of a queue whatever the limit is.
      const bool is_first_am = share->used_by_ams == Resources() && planned.ams == Resources();
      if (fits_all && (is_first_am || wanted.am == Resources() || FitsAmShare(ams, total, *share))) {
        return "";
      }
      const auto open = std::ranges::find_if(
          offers_, [&](const auto& some) { return some->offer.node.label == wanted.label && some->left() > 0; });
      if (open == offers_.end()) return LimitText(wanted, fits_all ? share->most_ams : share->most, !fits_all);
      ++(*open)->extra;
    }
  }

  // Null if the queue has no limits.
  const QueueShare* FindShare(const Wanted& wanted) const {
    const auto partition = partitions_.find(wanted.label);
    if (partition == partitions_.end()) return nullptr;
    const auto share = partition->second.queues.find(wanted.queue);
    return share == partition->second.queues.end() ? nullptr : &share->second;
  }
  Resources TotalWithAdded(const std::string& label) const {
    Resources total = totals_.at(label);
    for (const auto& open : offers_) {
      if (open->offer.node.label == label) total += open->offer.node.size * open->added();
    }
    return total;
  }
  static bool FitsShare(const Resources& amount, const Resources& total, double share) {
    const auto fits = [share](int64_t some, int64_t all) {
      return some <= 0 || static_cast<double>(some) <= share * static_cast<double>(all) + kRounding;
    };
    return fits(amount.memory_mib, total.memory_mib) && fits(amount.vcores, total.vcores);
  }
  // The scheduler compares the larger of both parts with the larger of both limits. (DominantResourceCalculator in
  // LeafQueue.activateApplications) A part of 0 means that the scheduler does not count these resources.
  static bool FitsAmShare(const Resources& ams, const Resources& total, const QueueShare& share) {
    double part = 0, limit = 0;
    const auto compare = [&](int64_t some, int64_t all, int64_t unit) {
      if (some <= 0 || all <= 0) return;
      const auto whole = static_cast<double>(all);
      const auto step = static_cast<double>(std::max<int64_t>(unit, 1));
      part = std::max(part, static_cast<double>(some) / whole);
      limit = std::max(limit, std::ceil(share.most_ams * whole / step - kRounding) * step / whole);
    };
    compare(ams.memory_mib, total.memory_mib, share.unit.memory_mib);
    compare(ams.vcores, total.vcores, share.unit.vcores);
    return part <= limit + kRounding;
  }
  static std::string LimitText(const Wanted& wanted, double share, bool whole_queue) {
    const std::string percent = std::to_string(std::lround(100 * share)) + " % of the cluster";
    return whole_queue
               ? "the queue '" + wanted.queue + "' may use at most " + percent +
                     ", which is too little even with the most nodes of the policy"
               : "the application masters of the queue '" + wanted.queue + "' may use at most " + percent +
                     " (maximum-am-resource-percent), which is too little even with the most nodes of the policy";
  }

  std::string DoesNotFit(const Wanted& wanted, const std::vector<Tasks>& rest) const {
    const std::string needs = "needs " + admission::ToText(wanted.tasks);
    const bool has_shape = std::ranges::any_of(offers_, [&](const auto& open) {
      return open->offer.node.label == wanted.label && std::ranges::all_of(rest, [&](const Tasks& some) {
               return admission::Fits(some.each, open->offer.node.size);
             });
    });
    if (!has_shape) {
      return needs + (wanted.label.empty() ? "" : " on nodes with the label '" + wanted.label + "'") +
             ", and no group that may grow has a node that holds " + admission::ToText(rest.front().each);
    }
    return needs + ", of which " + admission::ToText(rest) +
           " do not fit even with the most nodes that may be ordered now";
  }

  const std::map<std::string, Partition>& partitions_;
  std::map<std::string, Pool> existing_, draining_;                // by label
  std::map<std::string, Resources> totals_;                        // of the existing nodes, by label
  std::vector<std::unique_ptr<OpenOffer>> offers_;                 // the cheapest first
  std::map<std::string, std::map<std::string, Planned>> planned_;  // by label and queue
  std::vector<Sizes> steps_;                                       // the nodes after each job that needs more
  GangPlan plan_;
};

}  // namespace

GangPlan PlanGangs(const std::vector<Wanted>& wanted, const std::map<std::string, Partition>& partitions,
                   const std::vector<Offer>& offers, double up_factor) {
  Planner planner(partitions, offers);
  for (const Wanted& some : wanted) planner.Add(some);
  return planner.Finish(up_factor);
}

}  // namespace howdah::autoscale
