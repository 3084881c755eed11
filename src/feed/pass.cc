#include "pass.h"

#include <utility>

namespace howdah::feed {

Pass::Pass(int64_t number, Partitions partitions, Split split, int ranks)
    : number(number), partitions(std::move(partitions)) {
  const auto size = static_cast<size_t>(ranks);
  lanes.resize(split == Split::kAll ? 1 : size);
  readers.resize(size);
  settled.resize(split == Split::kDynamic ? size : 1);
  heads.resize(lanes.size());
}

int64_t Pass::RowsOf(int rank) const {
  // A reader of a dynamic feed has returned all its rows before the pass is closed.
  return settled.size() == 1 ? *closed : readers[static_cast<size_t>(rank)].handed_out;
}

bool Pass::finished() const {
  if (!closed) return false;
  for (int rank = 0; rank < static_cast<int>(readers.size()); ++rank) {
    if (readers[static_cast<size_t>(rank)].handed_out < RowsOf(rank)) return false;
  }
  return true;
}

bool Pass::committed() const {
  if (!closed) return false;
  for (int rank = 0; rank < static_cast<int>(readers.size()); ++rank) {
    if (readers[static_cast<size_t>(rank)].committed < RowsOf(rank)) return false;
  }
  return true;
}

}  // namespace howdah::feed
