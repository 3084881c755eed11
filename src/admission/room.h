// The room on the nodes of a cluster, as far as it is not reserved. Used by one call of Order.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "howdah/admission/queue.h"

namespace howdah::admission {

// Each node has two amounts: `now` is free and not reserved, and `later` is what remains of the whole node beside all
// reservations, after everything else on it has ended. A task that starts now takes from both. A reservation for a task
// that cannot start yet takes from `later` only, so other tasks may use the node's free room if they leave enough.
class Room {
 public:
  explicit Room(const std::vector<Node>& nodes);

  // The amount that each task takes, by the position of its node.
  using Placements = std::vector<std::pair<size_t, Resources>>;

  // Places all tasks in the room that is free now. Returns nullopt, and takes nothing, if not all fit. The largest
  // tasks are placed first, each on the node where the least remains.
  std::optional<Placements> Start(const std::vector<Tasks>& tasks);
  // Takes the room of tasks that another Room for the same nodes has placed.
  void Take(const Placements& placements);
  // The same, for tasks that end before a reservation needs their room.
  void TakeForNow(const Placements& placements);
  // Reserves room for the tasks: as much as possible in the room that is free now, the rest for later. Returns false if
  // even empty nodes cannot hold all tasks; then it takes nothing.
  bool Reserve(const std::vector<Tasks>& tasks);
  // Adds room that becomes free.
  void Free(const std::string& node, const Resources& amount);

  // The sum of the tasks that do not fit into the room that is free now.
  Resources Lacking(const std::vector<Tasks>& tasks) const;

 private:
  struct Slot {
    Resources now, later;
  };
  enum class When { kNow, kLater };
  // Returns the node for a task, or null.
  Slot* Best(const Resources& task, When when);

  std::vector<Slot> slots_;
  std::unordered_map<std::string, size_t> positions_;
};

}  // namespace howdah::admission
