// One pass under way: the lanes of all readers, and what each reader has done.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "howdah/feed/action.h"
#include "howdah/feed/ledger.h"
#include "lane.h"
#include "partitions.h"

namespace howdah::feed {

struct PassReader {
  int64_t batch = 0;  // 0: the program has not begun to read the pass
  int64_t handed_out = 0;
  int64_t committed = 0;  // of the rows handed out
  int64_t sealed = 0;
  int64_t repeated = 0;   // rows that the reader reads a second time
  int64_t short_to = -1;  // the reader may return a short batch up to this position
  bool waiting = false;
  bool kept_offered = false;
  RowRanges present;  // positions whose rows the reader's executor has

  template <typename Codec, typename Self>
  static void Fields(Codec& codec, Self& self) {
    codec(self.batch, self.handed_out, self.committed, self.sealed, self.repeated, self.short_to, self.waiting,
          self.kept_offered, self.present);
  }
};

// A Reassign that was not confirmed.
struct Move {
  int from = 0;
  Segment segment;

  template <typename Codec, typename Self>
  static void Fields(Codec& codec, Self& self) {
    codec(self.from, self.segment);
  }
};

// A record of the state of one pass.
struct Pass {
  Pass() = default;
  Pass(int64_t number, Partitions partitions, Split split, int ranks);

  int64_t number = 0;
  Partitions partitions;
  std::vector<Lane> lanes;  // one per reader; a single one with split `all`
  std::vector<PassReader> readers;
  std::map<std::pair<int, int64_t>, Move> moves;  // by reader and position
  // Rows that were handed out and settled, and are not committed. `equal`, `all`: of all lanes; `dynamic`: by lane.
  std::vector<std::map<PartitionId, RowRanges>> settled;
  // With remainder `repeat`: by lane, the first rows, at least one batch of them if the lane has as many.
  std::vector<std::vector<Segment>> heads;
  bool requested = false;  // missing rows were requested since the last loss
  // Set when the pass is closed. `equal`, `all`: the rows of each reader; `dynamic`: of the first.
  std::optional<int64_t> closed;
  int64_t left_out = 0;

  size_t LaneOf(int rank) const { return lanes.size() == 1 ? 0 : static_cast<size_t>(rank); }
  // The rows after which the pass ends for the reader. The pass must be closed.
  int64_t RowsOf(int rank) const;
  // Whether the pass is closed and all readers have read it to its end.
  bool finished() const;
  // Whether the pass is closed and all rows that readers have returned are committed.
  bool committed() const;

  template <typename Codec, typename Self>
  static void Fields(Codec& codec, Self& self) {
    codec(self.number, self.partitions, self.lanes, self.readers, self.moves, self.settled, self.heads, self.requested,
          self.closed, self.left_out);
  }
};

}  // namespace howdah::feed
