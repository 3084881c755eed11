#include "fleet.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include "howdah/base/text.h"
#include "nodes_by_host.h"
#include "retry.h"

namespace howdah::autoscale {
namespace {

// A list can be older than an earlier one. So a machine is gone only if lists have not shown it for this time, and a
// machine that is gone does not come back within this time.
constexpr Duration kListsAreOldFor = std::chrono::seconds(15);

std::string OfGroup(int count, Group group) {
  return CountOf(count, "node") + " of the group " + std::string(ToText(group));
}

// Whether machines of the order are still expected to join.
bool IsExpected(const PendingAdd& add) { return add.accepted || add.failures == 0; }

bool IsHere(const Machine& machine) {
  return machine.state == Machine::State::kCreating || machine.state == Machine::State::kRunning;
}

}  // namespace

Fleet::Fleet(const Provider& provider, State& state) : provider_(provider), state_(state) {
  // It is not known whether the orders have been given before this process started.
  for (PendingAdd& add : state_.adds) {
    add.retry = Instant();
    add.under_way = false;
  }
  MapHosts();
}

std::vector<std::string> Fleet::OnListed(std::vector<Machine> machines, Instant now) {
  std::erase_if(gone_, [&](const auto& entry) { return now >= entry.second + kListsAreOldFor; });
  listed_.clear();
  for (Machine& machine : machines) {
    const std::string id = machine.id;
    if (!gone_.contains(id)) listed_[id] = std::move(machine);
  }
  std::vector<std::string> gone;
  for (const auto& [id, machine] : state_.machines) {
    if (listed_.contains(id)) {
      unlisted_.erase(id);
      continue;
    }
    const auto leaving = state_.leaving.find(id);
    const bool is_expected = leaving != state_.leaving.end() && leaving->second.step == LeavingMachine::Step::kRemoving;
    if (is_expected || now >= unlisted_.try_emplace(id, now).first->second + kListsAreOldFor) gone.push_back(id);
  }
  for (const std::string& id : gone) {
    state_.machines.erase(id);
    not_running_.erase(id);
    unlisted_.erase(id);
    gone_[id] = now;
  }
  for (const auto& [id, machine] : listed_) {
    const auto [known, is_new] = state_.machines.try_emplace(id, KnownMachine{machine.host, machine.group, now});
    known->second.host = machine.host;
    if (!is_new) continue;
    const auto order = std::ranges::find_if(
        state_.adds, [&](const PendingAdd& add) { return add.group == machine.group && add.outstanding() > 0; });
    if (order != state_.adds.end()) ++order->arrived;
  }
  std::erase_if(state_.adds, [](const PendingAdd& add) { return add.accepted && add.outstanding() == 0; });
  MapHosts();
  return gone;
}

void Fleet::MapHosts() {
  ids_.clear();
  for (const auto& [id, machine] : state_.machines) {
    if (machine.host.empty()) continue;
    // An old list may show a machine whose host name has been given to a newer one.
    const auto [known, is_first] = ids_.try_emplace(machine.host, id);
    if (!is_first && state_.machines.at(known->second).since < machine.since) known->second = id;
  }
}

void Fleet::OnNodes(const std::vector<NodeReport>& nodes, Instant now) {
  nodes_.clear();
  for (const auto& [host, node] : NodesByHost(nodes)) nodes_.emplace_hint(nodes_.end(), host, node->state);
  for (auto& [id, machine] : state_.machines) {
    const auto node = nodes_.find(machine.host);
    const bool runs = node != nodes_.end() && node->second < NodeReport::State::kDecommissioned;
    if (runs) {
      GroupHealth& health = state_.health_of(machine.group);
      if (!machine.joined && !health.disabled) health = {};
      machine.joined = true;
      not_running_.erase(id);
    } else if (machine.joined) {
      not_running_.try_emplace(id, now);
    }
  }
  for (const NodeReport& node : nodes) {
    const std::string id = node.state == NodeReport::State::kRunning ? IdOf(node.host) : "";
    if (!id.empty()) learnt_[state_.machines.at(id).group] = {node.total, node.label};
  }
}

bool Fleet::OnDone(const std::string& token, Instant now) {
  const auto add = std::ranges::find_if(state_.adds, [&](const PendingAdd& some) { return some.token == token; });
  if (add == state_.adds.end()) return false;
  add->at = now;
  add->accepted = true;
  add->failures = 0;
  add->under_way = false;
  if (add->outstanding() == 0) state_.adds.erase(add);
  return true;
}

bool Fleet::OnFailed(const std::string& token, const CommandError& error, Instant now) {
  const auto add = std::ranges::find_if(state_.adds, [&](const PendingAdd& some) { return some.token == token; });
  if (add == state_.adds.end()) return false;
  const Group group = add->group;
  notes_.push_back("the order of " + OfGroup(add->count, group) + " failed (" + std::string(ToText(error.failure)) +
                   "): " + error.message);
  if (error.failure == Failure::kTransient) {
    if (add->failures == 0) add->at = now;
    add->retry = now + RetryPause(add->failures++);
    add->under_way = false;
  } else {
    state_.adds.erase(add);
    Fail(group, error.failure, error.message, now);
  }
  return true;
}

void Fleet::Fail(Group group, Failure failure, const std::string& message, Instant now) {
  GroupHealth& health = state_.health_of(group);
  if (!health.disabled) health.reason = std::string(ToText(failure)) + ": " + message;
  health.disabled = health.disabled || failure == Failure::kFatal;
  health.unusable_until = now + BackOffPause(health.failures++);
}

bool Fleet::IsDead(const std::string& id, const KnownMachine& machine) const {
  const auto listed = listed_.find(id);
  return (listed != listed_.end() && !IsHere(listed->second)) || (machine.joined && not_running_.contains(id));
}

// Nodes that others have decommissioned are not lost.
bool Fleet::IsLost(const KnownMachine& machine) const {
  const auto node = nodes_.find(machine.host);
  return machine.joined && (node == nodes_.end() || node->second == NodeReport::State::kGone);
}

std::vector<std::string> Fleet::GiveUp(Instant now) {
  std::erase_if(state_.adds, [&](const PendingAdd& add) {
    const Duration join = provider_.of(add.group)->join;
    if (add.under_way || add.outstanding() == 0 || now < add.at + join) return false;
    const std::string message =
        OfGroup(add.outstanding(), add.group) + " did not appear within " + DurationToText(join);
    notes_.push_back(message);
    Fail(add.group, Failure::kCapacity, message, now);
    return true;
  });
  std::vector<std::string> removed;
  for (const auto& [id, machine] : state_.machines) {
    if (state_.leaving.contains(id)) continue;
    const Duration join = provider_.of(machine.group)->join;
    const auto listed = listed_.find(id);
    const auto lost = not_running_.find(id);
    if (listed != listed_.end() && listed->second.state == Machine::State::kFailed) {
      notes_.push_back("the machine " + id + " failed: " + listed->second.message);
      Fail(machine.group, listed->second.failure, listed->second.message, now);
      removed.push_back(id);
    } else if (!machine.joined && now >= machine.since + join) {
      const std::string message =
          "the node " + (machine.host.empty() ? id : machine.host) + " did not join within " + DurationToText(join);
      notes_.push_back(message);
      Fail(machine.group, Failure::kCapacity, message, now);
      removed.push_back(id);
    } else if (IsLost(machine) && lost != not_running_.end() && now >= lost->second + join) {
      notes_.push_back("the node " + machine.host + " has been lost for " + DurationToText(join));
      removed.push_back(id);
    }
  }
  return removed;
}

void Fleet::Resume() {
  for (GroupHealth& health : state_.health) health = {};
}

AddMachines Fleet::Order(Group group, int count, Instant now) {
  PendingAdd& add = state_.adds.emplace_back();
  add.token = state_.NewToken();
  add.group = group;
  add.count = count;
  add.at = now;
  add.retry = now + provider_.timeout + kCommandMargin;
  return {add.token, group, count};
}

std::vector<AddMachines> Fleet::Retries(Instant now) {
  std::vector<AddMachines> orders;
  for (PendingAdd& add : state_.adds) {
    if (add.accepted || now < add.retry) continue;
    add.retry = now + provider_.timeout + kCommandMargin;
    add.under_way = true;
    orders.push_back({add.token, add.group, add.count});
  }
  return orders;
}

void Fleet::DropFailing() {
  std::erase_if(state_.adds, [](const PendingAdd& add) { return !add.accepted && add.failures > 0 && !add.under_way; });
}

Sizes Fleet::staying() const {
  Sizes sizes;
  for (const auto& [id, machine] : state_.machines) {
    if (!state_.Leaves(id) && !IsDead(id, machine)) ++sizes.of(machine.group);
  }
  for (const PendingAdd& add : state_.adds) sizes.of(add.group) += add.outstanding();
  return sizes;
}

Sizes Fleet::existing() const {
  Sizes sizes;
  for (const auto& [id, machine] : state_.machines) ++sizes.of(machine.group);
  for (const PendingAdd& add : state_.adds) sizes.of(add.group) += add.outstanding();
  return sizes;
}

bool Fleet::WillJoin(const std::string& id, const KnownMachine& machine) const {
  return !machine.joined && !state_.Leaves(id) && !IsDead(id, machine);
}

Sizes Fleet::joining() const {
  Sizes sizes;
  for (const auto& [id, machine] : state_.machines) {
    if (WillJoin(id, machine)) ++sizes.of(machine.group);
  }
  for (const PendingAdd& add : state_.adds) {
    if (IsExpected(add)) sizes.of(add.group) += add.outstanding();
  }
  return sizes;
}

Instant Fleet::joining_since(Instant now) const {
  Instant since = now;
  for (const auto& [id, machine] : state_.machines) {
    if (WillJoin(id, machine)) since = std::min(since, machine.since);
  }
  for (const PendingAdd& add : state_.adds) {
    if (add.outstanding() > 0 && IsExpected(add)) since = std::min(since, add.at);
  }
  return since;
}

bool Fleet::IsUsable(Group group, Instant now) const {
  const GroupHealth& health = state_.health_of(group);
  const bool fails_now = std::ranges::any_of(
      state_.adds, [&](const PendingAdd& add) { return add.group == group && !add.accepted && add.failures > 0; });
  return provider_.of(group) && !health.disabled && now >= health.unusable_until && !fails_now;
}

std::optional<NodeShape> Fleet::ShapeOf(Group group) const {
  if (provider_.of(group) && provider_.of(group)->node) return provider_.of(group)->node;
  const auto learnt = learnt_.find(group);
  return learnt == learnt_.end() ? std::nullopt : std::optional(learnt->second);
}

std::string Fleet::IdOf(const std::string& host) const {
  const auto found = ids_.find(host);
  return found == ids_.end() || state_.Leaves(found->second) ? "" : found->second;
}

}  // namespace howdah::autoscale
