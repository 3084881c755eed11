#include "drains.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "howdah/base/text.h"
#include "nodes_by_host.h"
#include "retry.h"

namespace howdah::autoscale {
namespace {

using std::chrono::seconds;

// The timeout of a node that nothing needs any more. With 0, YARN would take the default of the cluster.
constexpr Duration kAtOnce = seconds(1);
// How long the NodeManager of a decommissioned node may take to store logs and exit.
constexpr Duration kLongestStop = seconds(60);
// How long a node may be unknown to the ResourceManager, which forgets nodes when it restarts.
constexpr Duration kLongestUnseen = seconds(60);
// How long the ResourceManager may show a node as running although it has read the exclude file.
constexpr Duration kLongestUnread = seconds(30);

bool IsCommand(LeavingMachine::Step step) {
  return step == LeavingMachine::Step::kPreparing || step == LeavingMachine::Step::kRemoving;
}

}  // namespace

Drains::Drains(const Policy& policy, const Provider& provider, State& state)
    : policy_(policy), provider_(provider), state_(state) {
  // It is not known whether the commands have been started before this process started.
  for (auto& [id, machine] : state_.leaving) machine.retry = Instant();
}

void Drains::Begin(const std::string& id, const KnownMachine& machine, Instant now) {
  LeavingMachine& leaving = state_.leaving[id];
  leaving = {.host = machine.host, .group = machine.group};
  Enter(leaving, Step::kDraining, now);
}

void Drains::RemoveAtOnce(const std::string& id, const KnownMachine& machine, Instant now) {
  LeavingMachine& leaving = state_.leaving[id];
  leaving = {.host = machine.host, .group = machine.group, .skips_drain = true};
  Enter(leaving, Step::kRemoving, now);
}

void Drains::Enter(LeavingMachine& machine, Step step, Instant now) {
  machine.step = step;
  machine.since = now;
  machine.token.clear();
  machine.failures = 0;
  machine.retry = now;
}

bool Drains::CanCancel(const std::string& host) const {
  return std::ranges::any_of(state_.leaving, [&](const auto& entry) {
    return entry.second.host == host && entry.second.step == Step::kDraining;
  });
}

LeavingMachine* Drains::Find(const std::string& host) {
  const auto found = std::ranges::find_if(state_.leaving, [&](const auto& entry) { return entry.second.host == host; });
  return found == state_.leaving.end() ? nullptr : &found->second;
}

void Drains::Cancel(const std::string& host, Instant now) {
  if (CanCancel(host)) Enter(*Find(host), Step::kCancelled, now);
}

Sizes Drains::draining() const {
  Sizes sizes;
  for (const auto& [id, machine] : state_.leaving) {
    if (machine.step == Step::kDraining) ++sizes.of(machine.group);
  }
  return sizes;
}

void Drains::OnNodes(const std::vector<NodeReport>& nodes, Instant now) {
  const auto by_host = NodesByHost(nodes);
  nodes_.clear();
  std::vector<std::string> back;
  for (auto& [id, machine] : state_.leaving) {
    const auto node = by_host.find(machine.host);
    if (node != by_host.end()) nodes_[machine.host] = *node->second;
    // While the host is in the exclude file, the ResourceManager may still decommission the node.
    if (machine.step == Step::kCancelled && node != by_host.end() &&
        node->second->state <= NodeReport::State::kUnhealthy && !state_.excluded.contains(machine.host)) {
      back.push_back(id);
    } else {
      Advance(machine, node == by_host.end() ? nullptr : node->second, now);
    }
  }
  for (const std::string& id : back) state_.leaving.erase(id);
}

// Follows what the ResourceManager has done with the node.
void Drains::Advance(LeavingMachine& machine, const NodeReport* node, Instant now) {
  if (machine.step >= Step::kStopping) return;
  if (node == nullptr) {
    const Instant since = unseen_.try_emplace(machine.host, now).first->second;
    if (now < since + kLongestUnseen) return;
  } else {
    unseen_.erase(machine.host);
    if (node->state <= NodeReport::State::kUnhealthy) {
      // Perhaps another ResourceManager is active now, and has read the file before this entry.
      if (machine.step != Step::kCancelled && excluded_ && now >= machine.since + kLongestUnread) {
        excluded_.reset();
        machine.since = now;
      }
      return;
    }
    if (node->state == NodeReport::State::kDecommissioning) return;
  }
  Enter(machine, Step::kStopping, now);
}

void Drains::OnChecked(const NodeChecked& checked, Instant now) {
  LeavingMachine* const machine = Find(checked.host);
  if (machine == nullptr) return;
  if (machine->step == Step::kDraining && checked.answer == NodeChecked::Answer::kFree) {
    const auto node = nodes_.find(checked.host);
    const bool is_free = node != nodes_.end() && node->second.state == NodeReport::State::kDecommissioning &&
                         node->second.containers == 0;
    if (is_free) Enter(*machine, Step::kReleasing, now);
  } else if (machine->step == Step::kStopping && checked.answer == NodeChecked::Answer::kGone) {
    Enter(*machine, provider_.before_remove.empty() ? Step::kRemoving : Step::kPreparing, now);
  }
}

bool Drains::OnDone(const std::string& token, Instant now) {
  bool found = false;
  for (auto& [id, machine] : state_.leaving) {
    if (token.empty() || machine.token != token) continue;
    found = true;
    if (machine.step == Step::kPreparing) {
      Enter(machine, Step::kRemoving, now);
    } else if (machine.step == Step::kRemoving) {
      machine.retry = now + provider_.timeout;  // by then, `list` should not show it any more
    }
  }
  return found;
}

bool Drains::OnFailed(const std::string& token, const CommandError& error, Instant now) {
  bool found = false;
  for (auto& [id, machine] : state_.leaving) {
    if (token.empty() || machine.token != token) continue;
    if (!found) {
      notes_.push_back("the removal of " + machine.host + " failed (" + std::string(ToText(error.failure)) +
                       "): " + error.message);
    }
    found = true;
    machine.retry = now + RetryPause(machine.failures++);
  }
  return found;
}

void Drains::OnExcludeDone() {
  if (!excluding_) return;
  excluded_ = excluding_->timeouts;
  state_.excluded.clear();
  for (const auto& [host, timeout] : *excluded_) state_.excluded.insert(host);
  excluding_.reset();
  exclude_failures_ = 0;
}

void Drains::OnExcludeFailed(Instant now) {
  excluding_.reset();
  exclude_retry_ = now + RetryPause(exclude_failures_++);
}

std::map<std::string, Duration> Drains::Timeouts() const {
  // A plain file has one timeout for all nodes, so a node is released only while no other node drains.
  const bool waits = !provider_.exclude.is_xml() && draining().total() > 0;
  std::map<std::string, Duration> timeouts;
  for (const auto& [id, machine] : state_.leaving) {
    if (machine.skips_drain || machine.step == Step::kCancelled) continue;
    const bool drains = machine.step == Step::kDraining || (waits && machine.step == Step::kReleasing);
    timeouts[machine.host] = drains ? std::max(policy_.drain, kAtOnce) : kAtOnce;
  }
  return timeouts;
}

std::optional<SetExcluded> Drains::DueExclude(Instant now) {
  if (excluding_ || now < exclude_retry_) return std::nullopt;
  SetExcluded order{.timeouts = Timeouts(), .own = state_.excluded, .longest = std::max(policy_.drain, kAtOnce)};
  if (excluded_ ? *excluded_ == order.timeouts : state_.excluded.empty() && order.timeouts.empty()) return std::nullopt;
  const bool releases =
      std::ranges::any_of(state_.leaving, [](const auto& entry) { return entry.second.step == Step::kReleasing; });
  if (!provider_.exclude.is_xml() && releases && draining().total() == 0) order.kind = SetExcluded::Kind::kAtOnce;
  for (const auto& [host, timeout] : order.timeouts) state_.excluded.insert(host);
  excluding_ = order;
  return order;
}

std::vector<RemoveMachines> Drains::DueCommands(Instant now) {
  std::map<std::pair<Step, Group>, RemoveMachines> fresh;
  std::map<std::string, RemoveMachines> repeated;  // by token
  for (auto& [id, machine] : state_.leaving) {
    if (machine.step == Step::kStopping && now >= machine.since + kLongestStop) {
      Enter(machine, provider_.before_remove.empty() ? Step::kRemoving : Step::kPreparing, now);
    }
    if (!IsCommand(machine.step) || now < machine.retry) continue;
    const auto step = machine.step == Step::kPreparing ? RemoveMachines::Step::kPrepare : RemoveMachines::Step::kRemove;
    RemoveMachines* order = nullptr;
    if (machine.token.empty()) {
      order =
          &fresh.try_emplace({machine.step, machine.group}, RemoveMachines{"", step, machine.group, {}}).first->second;
      if (order->token.empty()) order->token = state_.NewToken();
      machine.token = order->token;
    } else {
      order =
          &repeated.try_emplace(machine.token, RemoveMachines{machine.token, step, machine.group, {}}).first->second;
    }
    order->machines.push_back({id, machine.host});
    machine.retry = now + provider_.timeout + kCommandMargin;
  }
  std::vector<RemoveMachines> orders;
  for (auto& [token, order] : repeated) orders.push_back(std::move(order));
  for (auto& [key, order] : fresh) orders.push_back(std::move(order));
  return orders;
}

std::vector<Order> Drains::Due(Instant now) {
  std::vector<Order> orders;
  for (RemoveMachines& order : DueCommands(now)) orders.emplace_back(std::move(order));
  if (auto exclude = DueExclude(now)) orders.emplace_back(std::move(*exclude));
  return orders;
}

std::vector<CheckNode> Drains::Checks() const {
  std::vector<CheckNode> checks;
  for (const auto& [id, machine] : state_.leaving) {
    const auto node = nodes_.find(machine.host);
    if (node == nodes_.end()) continue;
    const bool seems_free = machine.step == Step::kDraining && node->second.containers == 0 &&
                            node->second.state == NodeReport::State::kDecommissioning;
    if (seems_free || machine.step == Step::kStopping) checks.push_back({node->second.name, machine.host});
  }
  return checks;
}

}  // namespace howdah::autoscale
