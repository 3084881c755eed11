// The room on the nodes of a cluster, as far as it is not reserved.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "howdah/admission/queue.h"

namespace howdah::admission {

// Each node has two amounts: `now` is free and not reserved, and `later` is what remains of the whole node beside all
// reservations, after everything else on it has ended. A task that starts now takes from both. A reservation for a task
// that cannot start yet takes from `later` only, so other tasks may use the node's free room if they leave enough.
//
// The nodes are kept in the order of both amounts, because a cluster may have 10,000 nodes and 1,000 waiting jobs.
class Room {
 public:
  enum class Use { kPresent, kNone };
  // The nodes must live as long as this object. use: whether the containers on the nodes count.
  Room(const std::vector<Node>& nodes, Use use);

  // The amount that each task takes, by the position of its node.
  using Placements = std::vector<std::pair<size_t, Resources>>;

  // Places all tasks in the room that is free now. Returns nullopt, and takes nothing, if not all fit. The largest
  // tasks are placed first, each on the node where the least remains.
  std::optional<Placements> Start(const std::vector<Tasks>& tasks);
  // Places as many of the tasks as possible in the same way, and removes them from `tasks`.
  Placements StartSome(std::vector<Tasks>& tasks);
  // Whether Start would place all tasks.
  bool CanStart(const std::vector<Tasks>& tasks);
  // Takes the room of tasks that another Room for the same nodes has placed.
  void Take(const Placements& placements);
  // The same, for tasks that end before a reservation needs their room.
  void TakeForNow(const Placements& placements);
  // Reserves room for the tasks: as much as possible in the room that is free now, the rest for later, on the emptiest
  // nodes. Returns false if even empty nodes cannot hold all tasks; then it takes nothing.
  bool Reserve(const std::vector<Tasks>& tasks);
  // Takes the room of a container that is there already, and stays until the job ends.
  void Occupy(const std::string& node, const Resources& amount);
  // Adds room that becomes free.
  void Free(const std::string& node, const Resources& amount);

  // The sum of the tasks that do not fit into the room that is free now.
  Resources Lacking(const std::vector<Tasks>& tasks);

  // Rollback undoes all changes since Mark returned the value.
  size_t Mark() const { return undo_.size(); }
  void Rollback(size_t mark);

 private:
  struct Slot {
    Resources now, later;
  };
  using Key = std::tuple<int64_t, int64_t, int64_t, int64_t>;  // see KeyOf
  using Order = std::set<std::pair<Key, size_t>>;

  // Return the position of the node for a task.
  std::optional<size_t> BestNow(const Resources& task) const;
  std::optional<size_t> BestLater(const Resources& task) const;
  std::optional<size_t> Find(const std::string& node);
  void Set(size_t position, Slot slot);
  void TakeFrom(size_t position, const Resources& now, const Resources& later);

  std::vector<Slot> slots_;
  Order by_now_, by_later_;
  std::vector<std::pair<size_t, Slot>> undo_;  // earlier values
  const std::vector<Node>& nodes_;
  std::unordered_map<std::string_view, size_t> positions_;  // by name; filled by the first call of Find
};

}  // namespace howdah::admission
