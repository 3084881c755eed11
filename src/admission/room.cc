#include "howdah/admission/room.h"

#include <algorithm>

namespace howdah::admission {
namespace {

// Scarce resources count first. If an amount fits into another one, its key is not larger.
auto KeyOf(const Resources& amount) {
  int64_t others = 0;
  for (const auto& [type, count] : amount.others) others += count;
  return std::tuple(amount.gpus, others, amount.memory_mib, amount.vcores);
}

// The largest tasks first.
template <typename SomeTasks>
auto InOrder(SomeTasks& tasks) {
  std::vector<decltype(&tasks.front())> order;
  for (auto& some : tasks) order.push_back(&some);
  std::stable_sort(order.begin(), order.end(),
                   [](const Tasks* a, const Tasks* b) { return KeyOf(a->each) > KeyOf(b->each); });
  return order;
}

std::vector<Resources> LargestFirst(const std::vector<Tasks>& tasks) {
  std::vector<Resources> all;
  for (const Tasks* some : InOrder(tasks)) all.insert(all.end(), static_cast<size_t>(some->count), some->each);
  return all;
}

}  // namespace

Room::Room(const std::vector<Node>& nodes, Use use) : nodes_(nodes) {
  std::vector<Order::value_type> by_now, by_later;
  for (const Node& node : nodes) {
    const size_t position = slots_.size();
    slots_.push_back({use == Use::kPresent ? node.free : node.total, node.total});
    by_now.emplace_back(KeyOf(slots_.back().now), position);
    by_later.emplace_back(KeyOf(node.total), position);
  }
  // A set is made of sorted entries much faster than of others.
  std::sort(by_now.begin(), by_now.end());
  std::sort(by_later.begin(), by_later.end());
  by_now_ = Order(by_now.begin(), by_now.end());
  by_later_ = Order(by_later.begin(), by_later.end());
}

std::optional<size_t> Room::BestNow(const Resources& task) const {
  for (auto it = by_now_.lower_bound({KeyOf(task), 0}); it != by_now_.end(); ++it) {
    const Slot& slot = slots_[it->second];
    if (Fits(task, slot.now) && Fits(task, slot.later)) return it->second;
  }
  return std::nullopt;
}

std::optional<size_t> Room::BestLater(const Resources& task) const {
  const Key least = KeyOf(task);
  for (auto it = by_later_.rbegin(); it != by_later_.rend() && it->first >= least; ++it) {
    if (Fits(task, slots_[it->second].later)) return it->second;
  }
  return std::nullopt;
}

void Room::Set(size_t position, Slot slot) {
  Slot& present = slots_[position];
  const auto move = [&](Order& order, const Resources& from, const Resources& to) {
    auto node = order.extract({KeyOf(from), position});
    node.value().first = KeyOf(to);
    order.insert(std::move(node));
  };
  move(by_now_, present.now, slot.now);
  move(by_later_, present.later, slot.later);
  present = std::move(slot);
}

void Room::TakeFrom(size_t position, const Resources& now, const Resources& later) {
  undo_.emplace_back(position, slots_[position]);
  Set(position, {slots_[position].now - now, slots_[position].later - later});
}

void Room::Rollback(size_t mark) {
  for (; undo_.size() > mark; undo_.pop_back()) Set(undo_.back().first, undo_.back().second);
}

std::optional<Room::Placements> Room::Start(const std::vector<Tasks>& tasks) {
  const size_t mark = Mark();
  Placements placements;
  for (const Resources& task : LargestFirst(tasks)) {
    const auto position = BestNow(task);
    if (!position) {
      Rollback(mark);
      return std::nullopt;
    }
    placements.emplace_back(*position, task);
    TakeFrom(*position, task, task);
  }
  return placements;
}

Room::Placements Room::StartSome(std::vector<Tasks>& tasks) {
  Placements placements;
  for (Tasks* some : InOrder(tasks)) {
    for (; some->count > 0; --some->count) {
      const auto position = BestNow(some->each);
      if (!position) break;
      placements.emplace_back(*position, some->each);
      TakeFrom(*position, some->each, some->each);
    }
  }
  std::erase_if(tasks, [](const Tasks& some) { return some.count == 0; });
  return placements;
}

bool Room::CanStart(const std::vector<Tasks>& tasks) {
  const size_t mark = Mark();
  const bool starts = Start(tasks).has_value();
  Rollback(mark);
  return starts;
}

void Room::Take(const Placements& placements) {
  for (const auto& [position, task] : placements) TakeFrom(position, task, task);
}

void Room::TakeForNow(const Placements& placements) {
  for (const auto& [position, task] : placements) TakeFrom(position, task, {});
}

bool Room::Reserve(const std::vector<Tasks>& tasks) {
  const size_t mark = Mark();
  for (const Resources& task : LargestFirst(tasks)) {
    if (const auto now = BestNow(task)) {
      TakeFrom(*now, task, task);
    } else if (const auto later = BestLater(task)) {
      TakeFrom(*later, {}, task);
    } else {
      Rollback(mark);
      return false;
    }
  }
  return true;
}

std::optional<size_t> Room::Find(const std::string& node) {
  if (positions_.empty()) {
    for (size_t i = 0; i < nodes_.size(); ++i) positions_[nodes_[i].name] = i;
  }
  const auto found = positions_.find(node);
  return found == positions_.end() ? std::nullopt : std::optional(found->second);
}

void Room::Occupy(const std::string& node, const Resources& amount) {
  if (const auto position = Find(node)) TakeFrom(*position, {}, amount);
}

void Room::Free(const std::string& node, const Resources& amount) {
  if (const auto position = Find(node)) TakeFrom(*position, amount * -1, {});
}

Resources Room::Lacking(const std::vector<Tasks>& tasks) {
  const size_t mark = Mark();
  Resources lacking;
  for (const Resources& task : LargestFirst(tasks)) {
    if (const auto position = BestNow(task)) {
      TakeFrom(*position, task, task);
    } else {
      lacking += task;
    }
  }
  Rollback(mark);
  return lacking;
}

}  // namespace howdah::admission
