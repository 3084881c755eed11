#include "room.h"

#include <algorithm>
#include <tuple>

namespace howdah::admission {
namespace {

// Scarce resources count first.
auto SizeOf(const Resources& amount) {
  int64_t others = 0;
  for (const auto& [type, count] : amount.others) others += count;
  return std::tuple(amount.gpus, others, amount.memory_mib, amount.vcores);
}

std::vector<Resources> LargestFirst(const std::vector<Tasks>& tasks) {
  std::vector<const Tasks*> order;
  for (const Tasks& some : tasks) order.push_back(&some);
  std::stable_sort(order.begin(), order.end(),
                   [](const Tasks* a, const Tasks* b) { return SizeOf(a->each) > SizeOf(b->each); });
  std::vector<Resources> all;
  for (const Tasks* some : order) all.insert(all.end(), static_cast<size_t>(some->count), some->each);
  return all;
}

}  // namespace

Room::Room(const std::vector<Node>& nodes) {
  for (const Node& node : nodes) {
    positions_[node.name] = slots_.size();
    slots_.push_back({node.free, node.total});
  }
}

Room::Slot* Room::Best(const Resources& task, When when) {
  Slot* best = nullptr;
  for (Slot& slot : slots_) {
    if (!Fits(task, slot.later) || (when == When::kNow && !Fits(task, slot.now))) continue;
    const bool better = best == nullptr || (when == When::kNow ? SizeOf(slot.now) < SizeOf(best->now)
                                                               : SizeOf(slot.now) > SizeOf(best->now));
    if (better) best = &slot;
  }
  return best;
}

std::optional<Room::Placements> Room::Start(const std::vector<Tasks>& tasks) {
  std::vector<Slot> before = slots_;
  Placements placements;
  for (const Resources& task : LargestFirst(tasks)) {
    Slot* slot = Best(task, When::kNow);
    if (slot == nullptr) {
      slots_ = std::move(before);
      return std::nullopt;
    }
    placements.emplace_back(slot - slots_.data(), task);
    slot->now -= task;
    slot->later -= task;
  }
  return placements;
}

void Room::Take(const Placements& placements) {
  TakeForNow(placements);
  for (const auto& [slot, task] : placements) slots_[slot].later -= task;
}

void Room::TakeForNow(const Placements& placements) {
  for (const auto& [slot, task] : placements) slots_[slot].now -= task;
}

bool Room::Reserve(const std::vector<Tasks>& tasks) {
  std::vector<Slot> before = slots_;
  for (const Resources& task : LargestFirst(tasks)) {
    Slot* slot = Best(task, When::kNow);
    if (slot != nullptr) {
      slot->now -= task;
    } else if (slot = Best(task, When::kLater); slot == nullptr) {
      return slots_ = std::move(before), false;
    }
    slot->later -= task;
  }
  return true;
}

void Room::Free(const std::string& node, const Resources& amount) {
  if (const auto found = positions_.find(node); found != positions_.end()) slots_[found->second].now += amount;
}

Resources Room::Lacking(const std::vector<Tasks>& tasks) const {
  Room copy = *this;
  Resources lacking;
  for (const Resources& task : LargestFirst(tasks)) {
    if (Slot* slot = copy.Best(task, When::kNow); slot != nullptr) {
      slot->now -= task;
      slot->later -= task;
    } else {
      lacking += task;
    }
  }
  return lacking;
}

}  // namespace howdah::admission
