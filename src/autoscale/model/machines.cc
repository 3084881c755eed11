#include "machines.h"

#include <algorithm>
#include <chrono>

#include "hours.h"

namespace howdah::autoscale::model {
namespace {

constexpr Duration kDeletion = std::chrono::seconds(10);

Machine::State StateOf(const Node& node) {
  if (node.state == Node::State::kCreating) return Machine::State::kCreating;
  return node.state == Node::State::kDeleting ? Machine::State::kDeleting : Machine::State::kRunning;
}

}  // namespace

void Machines::CountTime() {
  machine_time_ += (schedule_.now() - counted_) * existing();
  counted_ = schedule_.now();
}

Node& Machines::New(Group group) {
  CountTime();
  const std::string number = std::to_string(next_++);
  const std::string host = (group == Group::kPrimary ? "w-" : "sw-") + number;
  Node& node = nodes_[host];
  node = {.id = "m-" + number, .host = host, .group = group, .total = workload_.node.size, .free = workload_.node.size};
  largest_ = std::max(largest_, existing());
  return node;
}

void Machines::Begin(Group group, int count) {
  for (int i = 0; i < count; ++i) New(group).state = Node::State::kRunning;
}

void Machines::Order(Group group, int count, const std::function<void()>& on_joined) {
  for (int i = 0; i < count; ++i) {
    schedule_.After(workload_.boot, [this, host = New(group).host, on_joined] {
      const auto node = nodes_.find(host);
      if (node == nodes_.end() || node->second.state != Node::State::kCreating) return;
      node->second.state = Node::State::kRunning;
      on_joined();
    });
  }
}

void Machines::Delete(const std::vector<MachineId>& machines) {
  for (const MachineId& machine : machines) {
    const auto node = nodes_.find(machine.host);
    if (node == nodes_.end() || node->second.state == Node::State::kDeleting) continue;
    node->second.state = Node::State::kDeleting;
    schedule_.After(kDeletion, [this, host = machine.host] {
      CountTime();
      nodes_.erase(host);
    });
  }
}

std::vector<Machine> Machines::List() const {
  std::vector<Machine> list;
  list.reserve(nodes_.size());
  for (const auto& [host, node] : nodes_) {
    list.push_back({.id = node.id, .host = host, .group = node.group, .state = StateOf(node)});
  }
  return list;
}

double Machines::NodeHours() const {
  const Duration until_now = machine_time_ + (schedule_.now() - counted_) * existing();
  return HoursOf(until_now);
}

}  // namespace howdah::autoscale::model
