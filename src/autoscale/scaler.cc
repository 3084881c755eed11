#include "howdah/autoscale/scaler.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "drains.h"
#include "fleet.h"
#include "howdah/base/text.h"
#include "rounding.h"
#include "victims.h"

namespace howdah::autoscale {
namespace {

template <typename... Visits>
struct Overloaded : Visits... {
  using Visits::operator()...;
};
template <typename... Visits>
Overloaded(Visits...) -> Overloaded<Visits...>;  // clang needs it

std::string NodesText(const Sizes& sizes) {
  std::vector<std::string> parts;
  for (const Group group : kGroups) {
    if (sizes.of(group) == 0) continue;
    parts.push_back(CountOf(sizes.of(group), "node") + " of the group " + std::string(ToText(group)));
  }
  return Join(parts, " and ");
}

Verdict VerdictOf(const Sizes& add, bool removes, bool cancels) {
  if (add.total() > 0) return removes ? Verdict::kMixed : Verdict::kScaleUp;
  if (removes) return Verdict::kScaleDown;
  return cancels ? Verdict::kCancel : Verdict::kNoScale;
}

// The machines that stay and run, with their nodes.
std::vector<Candidate> CandidatesOf(const ClusterSeen& seen, const Fleet& fleet, const State& state) {
  std::vector<Candidate> candidates;
  for (const NodeReport& node : seen.nodes) {
    if (node.state > NodeReport::State::kUnhealthy) continue;
    const std::string id = fleet.IdOf(node.host);
    if (!id.empty() && !state.leaving.contains(id)) candidates.push_back({id, state.machines.at(id).group, &node});
  }
  return candidates;
}

// The size by which the Dataproc mode counts: the mean of the nodes that run.
NodeSize MeanSize(const ClusterSeen& seen, const Fleet& fleet) {
  NodeSize sum;
  double count = 0;
  for (const NodeReport& node : seen.nodes) {
    if (node.state != NodeReport::State::kRunning) continue;
    sum.memory_mib += static_cast<double>(node.total.memory_mib);
    sum.vcores += static_cast<double>(node.total.vcores);
    ++count;
  }
  if (count > 0) return {sum.memory_mib / count, sum.vcores / count};
  const auto shape = fleet.ShapeOf(Group::kPrimary);
  if (!shape) return {};
  return {static_cast<double>(shape->size.memory_mib), static_cast<double>(shape->size.vcores)};
}

// The part of the wanted changes that can be made. Nodes that one group cannot get are added to the other one, or stay
// there.
Sizes Possible(const Sizes& wanted, const Sizes& room) {
  Sizes change;
  int rest = 0;
  for (const Group group : kGroups) {
    change.of(group) = std::min(wanted.of(group), room.of(group));
    rest += wanted.of(group) - change.of(group);
  }
  for (const Group group : kGroups) {
    const int more = std::min(rest, room.of(group) - change.of(group));
    change.of(group) += more;
    rest -= more;
  }
  return change;
}

void AddReason(Decision& decision, const std::string& reason) {
  decision.reason += (decision.reason.empty() ? "" : "; ") + reason;
}

std::string DataprocReason(const Recommendation& recommended, const Policy& policy) {
  const bool cores = recommended.metric == Metric::kCores;
  char delta[32];
  std::snprintf(delta, sizeof delta, "%+.2f", recommended.delta);
  std::string text =
      std::string("pending less available ") + (cores ? "vcores" : "memory") + " are " + delta + " nodes";
  if (recommended.change != 0) {
    text += ", with the factor " + std::string(recommended.change > 0 ? "up " : "down ");
    char factor[32];
    std::snprintf(factor, sizeof factor, "%g: %+d", recommended.change > 0 ? policy.up_factor : policy.down_factor,
                  recommended.change);
    text += factor;
  }
  return text;
}

}  // namespace

Scaler::Scaler(Policy policy, Provider provider, Mode mode, State state)
    : policy_(std::move(policy)),
      provider_(std::move(provider)),
      mode_(mode),
      state_(std::move(state)),
      fleet_(std::make_unique<Fleet>(provider_, state_)),
      drains_(std::make_unique<Drains>(policy_, provider_, state_)) {}

Scaler::~Scaler() = default;

std::vector<Order> Scaler::Step(const Fact& fact, Instant now) {
  orders_.clear();
  std::visit(Overloaded{
                 [&](const ClusterSeen& seen) { OnSeen(seen, now); },
                 [&](const ClusterUnreadable& fault) { OnFault(fault.reason, now); },
                 [&](const MachinesListed& listed) { OnListed(listed.machines, now); },
                 [&](const ListFailed& failed) {
                   listed_ = false;
                   OnFault(failed.reason, now);
                 },
                 [&](const OrderDone& done) {
                   if (!fleet_->OnDone(done.token, now)) drains_->OnDone(done.token, now);
                 },
                 [&](const OrderFailed& failed) {
                   if (!fleet_->OnFailed(failed.token, failed.error, now)) {
                     drains_->OnFailed(failed.token, failed.error, now);
                   }
                 },
                 [&](const ExcludeDone&) { drains_->OnExcludeDone(); },
                 [&](const ExcludeFailed& failed) {
                   drains_->OnExcludeFailed(now);
                   OnFault(failed.reason, now);
                 },
                 [&](const NodeChecked& checked) { drains_->OnChecked(checked, now); },
                 [&](const PublishFailed& failed) { OnFault(failed.reason, now); },
                 [&](const Paused& wish) { SetPaused(true, wish.id, now); },
                 [&](const Resumed& wish) { SetPaused(false, wish.id, now); },
             },
             fact);
  for (const auto& notes : {fleet_->TakeNotes(), drains_->TakeNotes()}) {
    for (const std::string& note : notes) OnFault(note, now);
  }
  if (!state_.paused) {
    for (AddMachines& order : fleet_->Retries(now)) orders_.emplace_back(std::move(order));
    for (Order& order : drains_->Due(now)) orders_.push_back(std::move(order));
  }
  return std::exchange(orders_, {});
}

void Scaler::OnSeen(const ClusterSeen& seen, Instant now) {
  seen_ = seen;
  seen_.metrics.at = now;
  fleet_->OnNodes(seen_.nodes, now);
  drains_->OnNodes(seen_.nodes, now);
  if (!listed_ || state_.paused) return;
  for (const std::string& id : fleet_->GiveUp(now)) drains_->RemoveAtOnce(id, state_.machines.at(id), now);
  Apply(mode_ == Mode::kGangs ? DecideGangs(now) : DecideDataproc(now), now);
  for (CheckNode& check : drains_->Checks()) orders_.emplace_back(std::move(check));
}

void Scaler::OnListed(const std::vector<Machine>& machines, Instant now) {
  listed_ = true;
  for (const std::string& id : fleet_->OnListed(machines, now)) drains_->OnGone(id);
}

void Scaler::OnFault(std::string fault, Instant now) {
  Decision decision = NewDecision(now);
  decision.state = ScalerState::kFailed;
  decision.error = std::move(fault);
  Log(std::move(decision));
}

void Scaler::SetPaused(bool paused, const std::string& wish, Instant now) {
  state_.paused = paused;
  state_.wish = wish;
  if (!paused) fleet_->Resume();
  Decision decision = NewDecision(now);
  decision.state = paused ? ScalerState::kPaused : ScalerState::kRecommending;
  decision.reason = paused ? "paused by the user" : "resumed by the user";
  Log(std::move(decision));
}

Decision Scaler::NewDecision(Instant now) const {
  Decision decision;
  decision.at = now;
  decision.current = decision.recommended = fleet_->staying();
  decision.min = {policy_.primary.min, policy_.secondary.min};
  decision.max = {policy_.primary.max, policy_.secondary.max};
  decision.metrics = seen_.metrics;
  decision.drain = policy_.drain;
  return decision;
}

void Scaler::Log(Decision decision) {
  if (decision.SaysSame(last_)) return;
  last_ = decision;
  orders_.emplace_back(LogDecision{std::move(decision)});
}

Sizes Scaler::RoomToGrow(Instant now) const {
  const Sizes existing = fleet_->existing();
  Sizes room;
  for (const Group group : kGroups) {
    if (fleet_->IsUsable(group, now)) room.of(group) = std::max(0, policy_.of(group).max - existing.of(group));
  }
  return room;
}

std::vector<Offer> Scaler::Offers(Instant now) const {
  const Sizes room = RoomToGrow(now);
  std::vector<Offer> offers;
  for (const Group group : kGroups) {
    const auto shape = fleet_->ShapeOf(group);
    if (shape && provider_.of(group)) offers.push_back({group, *shape, provider_.of(group)->cost, room.of(group)});
  }
  return offers;
}

std::map<std::string, Partition> Scaler::Partitions() const {
  std::map<std::string, Partition> partitions;
  for (const auto& [label, queues] : seen_.queues) partitions[label].queues = queues;
  for (const NodeReport& node : seen_.nodes) {
    Partition& partition = partitions[node.label];
    const admission::Resources free = node.total - node.used;
    const bool comes_back = node.state == NodeReport::State::kDecommissioning && !fleet_->IdOf(node.host).empty();
    if (node.state == NodeReport::State::kRunning || comes_back) {
      partition.nodes.push_back({node.name, node.total, free});
    } else if (node.state == NodeReport::State::kDecommissioning && drains_->CanCancel(node.host)) {
      partition.draining.push_back({node.host, node.total, free});
    }
  }
  const Sizes joining = fleet_->joining();
  for (const Group group : kGroups) {
    const auto shape = fleet_->ShapeOf(group);
    if (!shape) continue;
    std::vector<admission::Node>& nodes = partitions[shape->label].nodes;
    nodes.insert(nodes.end(), static_cast<size_t>(joining.of(group)), {"", shape->size, shape->size});
  }
  return partitions;
}

void Scaler::AddVictims(Group group, int count, Change& change) const {
  std::vector<Candidate> candidates = CandidatesOf(seen_, *fleet_, state_);
  std::erase_if(candidates, [&](const Candidate& some) { return some.group != group; });
  for (std::string& id : ChooseVictims(policy_, fleet_->staying(), std::move(candidates), count)) {
    change.remove.push_back(std::move(id));
  }
}

int Scaler::CancelDrains(Group group, int most, Change& change) const {
  int count = 0;
  for (const auto& [id, machine] : state_.leaving) {
    if (count == most) break;
    if (state_.machines.at(id).group != group || !drains_->CanCancel(machine.host)) continue;
    change.cancel.push_back(machine.host);
    ++count;
  }
  return count;
}

bool Scaler::CorrectBounds(Change& change, Instant now) const {
  const Sizes staying = fleet_->staying();
  const Sizes bounded = Bounded(policy_, staying);
  if (bounded == staying) return false;
  const Sizes room = RoomToGrow(now);
  std::vector<std::string> texts;
  for (const Group group : kGroups) {
    const int size = staying.of(group), wanted = bounded.of(group);
    if (size == wanted) continue;
    texts.push_back("the group " + std::string(ToText(group)) + " has " + CountOf(size, "node") + ", and the policy " +
                    (size < wanted ? "at least " : "at most ") + std::to_string(wanted));
    if (size > wanted) {
      AddVictims(group, size - wanted, change);
      continue;
    }
    const int returned = CancelDrains(group, wanted - size, change);
    change.add.of(group) = std::min(wanted - size - returned, room.of(group));
  }
  change.decision.reason = Join(texts, "; ");
  return change.add.total() > 0 || !change.remove.empty() || !change.cancel.empty();
}

Scaler::Change Scaler::DecideGangs(Instant now) {
  Change change{.decision = NewDecision(now)};
  if (CorrectBounds(change, now)) return change;
  const GangPlan plan = PlanGangs(seen_.wanted, Partitions(), Offers(now), policy_.up_factor);
  change.add = plan.add;
  change.cancel = plan.cancel;
  if (plan.add.total() == 0 && plan.unserved.empty()) fleet_->DropFailing();
  AddShrink(plan, change, now);
  if (!plan.unserved.empty()) change.decision.constraints.emplace_back("REACHED_MAXIMUM_CLUSTER_SIZE");
  AddReason(change.decision, GangReason(plan, change, now));
  return change;
}

// Nodes leave on which nothing has run for the time of cooldownPeriod, and which nothing that waits needs.
void Scaler::AddShrink(const GangPlan& plan, Change& change, Instant now) {
  std::map<std::string, Instant> idle_since;
  std::vector<Candidate> idle;
  for (Candidate& candidate : CandidatesOf(seen_, *fleet_, state_)) {
    const NodeReport& node = *candidate.node;
    if (node.containers > 0 || plan.used.contains(node.name)) continue;
    const auto known = idle_since_.find(node.host);
    const Instant since = known == idle_since_.end() ? now : known->second;
    idle_since[node.host] = since;
    if (now >= since + policy_.cooldown) idle.push_back(std::move(candidate));
  }
  idle_since_ = std::move(idle_since);
  // The limits of queues shrink with the cluster, so nothing leaves while something is to start below them.
  if (plan.limited) return;
  const Sizes staying = fleet_->staying();
  const int count = static_cast<int>(std::floor(static_cast<double>(idle.size()) * policy_.down_factor + kRounding));
  if (count < policy_.down_fraction * staying.total() - kRounding) return;
  change.remove = ChooseVictims(policy_, staying, std::move(idle), count);
}

std::string Scaler::GangReason(const GangPlan& plan, const Change& change, Instant now) const {
  std::vector<std::string> parts;
  if (change.add.total() > 0) {
    const auto first = std::ranges::find(seen_.wanted, plan.served.front(), &Wanted::id);
    const size_t more = plan.served.size() - 1;
    parts.push_back(NodesText(change.add) + " " + (change.add.total() == 1 ? "is" : "are") + " missing for " +
                    plan.served.front() + " (needs " + admission::ToText(first->tasks) + ")" +
                    (more == 0 ? "" : " and " + std::to_string(more) + " more"));
  }
  if (!change.cancel.empty()) {
    parts.push_back(CountOf(static_cast<int64_t>(change.cancel.size()), "node") + " that drained " +
                    (change.cancel.size() == 1 ? "is" : "are") + " needed again");
  }
  if (!change.remove.empty()) {
    parts.push_back(CountOf(static_cast<int64_t>(change.remove.size()), "node") + " ran nothing for " +
                    DurationToText(policy_.cooldown));
  }
  if (!plan.unserved.empty()) {
    parts.push_back(plan.unserved.front().id + ": " + plan.unserved.front().reason);
    if (plan.unserved.size() > 1) parts.back() += ", and " + std::to_string(plan.unserved.size() - 1) + " more";
  }
  for (const Group group : kGroups) {
    const GroupHealth& health = state_.health_of(group);
    if (health.reason.empty() || fleet_->IsUsable(group, now)) continue;
    parts.push_back("the group " + std::string(ToText(group)) + " is not used " +
                    (health.disabled ? "until `howdah autoscale resume`" : "for some time") + " (" + health.reason +
                    ")");
  }
  if (parts.empty()) {
    const Sizes joining = fleet_->joining();
    parts.push_back(joining.total() > 0 ? NodesText(joining) + " will join" : "nothing waits for more nodes");
  }
  return Join(parts, "; ");
}

Scaler::Change Scaler::DecideDataproc(Instant now) {
  Change change{.decision = NewDecision(now)};
  Decision& decision = change.decision;
  const Sizes draining = drains_->draining();
  const bool adds = fleet_->has_pending();
  const bool updates = adds || !drains_->empty();
  if (adds || (updating_ && !updates)) {
    window_.clear();
    state_.window = now;
  }
  updating_ = updates;
  window_.push_back(seen_.metrics);
  if (state_.window == Instant()) state_.window = now;
  if (!updates && CorrectBounds(change, now)) return change;
  if (adds || now < state_.window + policy_.cooldown) {
    decision.state = adds ? ScalerState::kScaling : ScalerState::kCooldown;
    AddReason(decision, adds ? "machines are joining" : "the window has not ended");
    change.is_news = adds || last_.at == Instant();
    return change;
  }
  const Sizes staying = fleet_->staying();
  decision.metrics = Average(window_, now);
  const Recommendation recommended =
      Recommend(policy_, decision.metrics, MeanSize(seen_, *fleet_), staying, provider_.cores);
  window_ = {seen_.metrics};
  state_.window = now;
  decision.metric = recommended.metric;
  AddReason(decision, DataprocReason(recommended, policy_));
  if (recommended.constraint == Constraint::kMinimum) decision.constraints.emplace_back("REACHED_MINIMUM_CLUSTER_SIZE");
  if (recommended.constraint == Constraint::kMaximum) decision.constraints.emplace_back("REACHED_MAXIMUM_CLUSTER_SIZE");
  if (updates) {
    decision.verdict = Verdict::kDoNotCancel;
    if (draining.total() == 0 || recommended.change < draining.total()) return change;
    for (const auto& [id, machine] : state_.leaving) {
      if (drains_->CanCancel(machine.host)) change.cancel.push_back(machine.host);
    }
    return change;
  }
  const Sizes missing = {recommended.sizes.primary - staying.primary, recommended.sizes.secondary - staying.secondary};
  const Sizes possible = Possible(missing, RoomToGrow(now));
  for (const Group group : kGroups) {
    change.add.of(group) = std::max(possible.of(group), 0);
    if (possible.of(group) < 0) AddVictims(group, -possible.of(group), change);
  }
  return change;
}

void Scaler::Apply(Change change, Instant now) {
  Decision& decision = change.decision;
  if (decision.verdict == Verdict::kNoScale || !change.cancel.empty()) {
    decision.verdict = VerdictOf(change.add, !change.remove.empty(), !change.cancel.empty());
  }
  for (const std::string& host : change.cancel) drains_->Cancel(host, now);
  for (const std::string& id : change.remove) drains_->Begin(id, state_.machines.at(id), now);
  for (const Group group : kGroups) {
    if (change.add.of(group) > 0) orders_.emplace_back(fleet_->Order(group, change.add.of(group), now));
  }
  decision.recommended = fleet_->staying();
  if (decision.verdict != Verdict::kNoScale && decision.verdict != Verdict::kDoNotCancel) {
    decision.state = ScalerState::kScaling;
  }
  if (change.is_news) Log(std::move(decision));
}

Publication Scaler::Published(Instant now) const {
  Publication publication{.published = now,
                          .decided = last_.at,
                          .verdict = std::string(ToText(last_.verdict)),
                          .reason = last_.error.empty() ? last_.reason : last_.error};
  std::set<std::string> hosts;
  for (const NodeReport& node : seen_.nodes) {
    if (node.state <= NodeReport::State::kDecommissioning) hosts.insert(node.host);
  }
  Sizes registered;
  for (const auto& [id, machine] : state_.machines) {
    if (hosts.contains(machine.host)) ++registered.of(machine.group);
  }
  for (const Group group : kGroups) {
    if (!provider_.of(group)) continue;
    const int most = policy_.of(group).max;
    const bool may_grow = !state_.health_of(group).disabled;
    publication.groups.push_back({.group = group,
                                  .most = most,
                                  .more = may_grow ? std::max(0, most - registered.of(group)) : 0,
                                  .node = fleet_->ShapeOf(group)});
  }
  publication.coming = fleet_->joining().total();
  if (publication.coming > 0) publication.coming_since = fleet_->joining_since(now);
  return publication;
}

std::string Scaler::BrokenInvariant() const {
  std::set<std::string> tokens;
  for (const PendingAdd& add : state_.adds) {
    if (!tokens.insert(add.token).second) return "the token " + add.token + " was given twice";
    if (add.outstanding() < 0) return "the order " + add.token + " has more machines than were ordered";
  }
  for (const auto& [id, machine] : state_.leaving) {
    if (tokens.contains(machine.token)) return "the token " + machine.token + " was given twice";
    if (!state_.machines.contains(id)) return "the machine " + id + " leaves, but is not listed";
    if (machine.skips_drain || machine.step < LeavingMachine::Step::kStopping) continue;
    const auto node = std::ranges::find(seen_.nodes, machine.host, &NodeReport::host);
    const bool runs = node != seen_.nodes.end() && node->state <= NodeReport::State::kDecommissioning;
    if (runs && node->containers > 0) return "the node " + machine.host + " is being removed with containers";
  }
  return "";
}

}  // namespace howdah::autoscale
