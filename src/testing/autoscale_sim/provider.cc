#include "provider.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace howdah::testing::autoscale_sim {

using autoscale::CommandError;
using autoscale::Failure;
using autoscale::Group;
using autoscale::Machine;

namespace {

constexpr Duration kOldestList = std::chrono::seconds(12);

}  // namespace

void SimProvider::Begin() {
  for (const Group group : autoscale::kGroups) {
    for (int i = 0; i < world_.scenario.policy.of(group).min; ++i) {
      const std::string id = "m" + std::to_string(next_id_++);
      machines_[id] = {FreeHost(group), group, /*created=*/true};
      cluster_.Register(machines_[id].host, group);
    }
  }
}

// Names are used again as soon as they are free.
std::string SimProvider::FreeHost(Group group) const {
  for (int i = 0;; ++i) {
    std::string host = (group == Group::kPrimary ? "w-" : "sw-") + std::to_string(i);
    if (std::ranges::none_of(machines_, [&](const auto& entry) { return entry.second.host == host; })) return host;
  }
}

void SimProvider::Create(Group group) {
  const std::string id = "m" + std::to_string(next_id_++);
  machines_[id] = {FreeHost(group), group};
  if (world_.Fault(world_.faults().never_joins)) {
    world_.Reach(Situation::kNeverJoined);
    return;
  }
  world_.schedule.After(world_.Between(1, 120), [this, id] {
    const auto machine = machines_.find(id);
    if (machine == machines_.end() || machine->second.deleting) return;
    machine->second.created = true;
    cluster_.Register(machine->second.host, machine->second.group);
  });
}

std::optional<CommandError> SimProvider::Fault() {
  if (world_.Fault(world_.faults().fatal)) {
    world_.Reach(Situation::kFatal);
    return CommandError{Failure::kFatal, "no such project"};
  }
  if (!world_.Fault(world_.faults().order_fails)) return std::nullopt;
  world_.Reach(Situation::kOrderFailed);
  return CommandError{world_.random.Chance(0.5) ? Failure::kTransient : Failure::kCapacity, "try again"};
}

SimProvider::Answer SimProvider::Add(const autoscale::AddMachines& order) {
  const auto [known, is_new] = tokens_.try_emplace(order.token, order.count);
  if (!is_new) {
    if (known->second != order.count) world_.Violate("A token stands for one order", order.token);
    return {};
  }
  const bool has_quota = order.group == Group::kPrimary || world_.schedule.now() >= world_.faults_end ||
                         CountOf(order.group) + order.count <= world_.faults().quota;
  auto error = has_quota ? Fault() : CommandError{Failure::kQuota, "quota exceeded"};
  if (!has_quota) world_.Reach(Situation::kQuota);
  if (error) {
    tokens_.erase(known);
    return {.error = error};
  }
  const int most = world_.scenario.policy.of(order.group).max;
  if (CountOf(order.group) + order.count > most && !made_more_) {
    world_.Violate("There are never more machines than the maximum", std::to_string(CountOf(order.group)) + " and " +
                                                                         std::to_string(order.count) +
                                                                         " more of at most " + std::to_string(most));
  }
  for (int i = 0; i < order.count; ++i) Create(order.group);
  world_.Reach(Situation::kGrew);
  if (world_.Fault(world_.faults().more_than_ordered)) {
    made_more_ = true;
    world_.Reach(Situation::kMoreThanOrdered);
    Create(order.group);
  }
  if (!world_.Fault(world_.faults().order_without_answer)) return {};
  world_.Reach(Situation::kOrderTimedOut);
  return {.lost = true};
}

SimProvider::Answer SimProvider::Remove(const autoscale::RemoveMachines& order) {
  if (auto error = Fault()) return {.error = error};
  if (order.step == autoscale::RemoveMachines::Step::kPrepare) return {};
  for (const autoscale::MachineId& machine : order.machines) {
    const auto known = machines_.find(machine.id);
    if (known == machines_.end() || known->second.deleting) continue;
    if (known->second.host != machine.host) world_.Violate("The right machine is removed", machine.id);
    if (cluster_.HasContainers(machine.host)) {
      world_.Violate("No node is removed while something runs on it", machine.host);
    }
    known->second.deleting = true;
    world_.Reach(Situation::kShrank);
    world_.schedule.After(world_.Between(1, 20), [this, id = machine.id] { Delete(id); });
  }
  return {.lost = world_.Fault(world_.faults().order_without_answer)};
}

void SimProvider::Delete(const std::string& id) {
  const auto machine = machines_.find(id);
  if (machine == machines_.end()) return;
  cluster_.Lose(machine->second.host);
  machines_.erase(machine);
}

std::vector<Machine> SimProvider::List() {
  std::vector<Machine> list;
  for (const auto& [id, machine] : machines_) {
    const Machine::State state = machine.deleting  ? Machine::State::kDeleting
                                 : machine.created ? Machine::State::kRunning
                                                   : Machine::State::kCreating;
    list.push_back({.id = id, .host = machine.host, .group = machine.group, .state = state});
  }
  const Instant now = world_.schedule.now();
  if (now < before_last_.at + kOldestList && world_.Fault(world_.faults().list_is_old)) {
    world_.Reach(Situation::kListStale);
    return before_last_.machines;
  }
  before_last_ = std::exchange(last_, {now, list});
  return list;
}

void SimProvider::Tick() {
  std::vector<std::string> gone;
  for (const auto& [id, machine] : machines_) {
    const bool may_go = world_.scenario.provider.of(machine.group)->preemptible && machine.created;
    if (may_go && world_.Fault(world_.faults().machine_gone / 60)) gone.push_back(id);
  }
  for (const std::string& id : gone) {
    world_.Reach(Situation::kMachineVanished);
    Delete(id);
  }
}

int SimProvider::CountOf(Group group) const {
  return static_cast<int>(
      std::ranges::count_if(machines_, [&](const auto& entry) { return entry.second.group == group; }));
}

}  // namespace howdah::testing::autoscale_sim
