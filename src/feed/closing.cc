#include "closing.h"

#include <algorithm>
#include <deque>
#include <utility>
#include <vector>

#include "commits.h"
#include "passes.h"

namespace howdah::feed {
namespace {

// Rows of one lane that another lane may get.
struct Spare {
  int from = 0;
  Segment segment;
};

// The rows of each reader, if `ranks` readers share `total` rows.
int64_t Share(Remainder remainder, int64_t total, int64_t ranks, int64_t batch) {
  switch (remainder) {
    case Remainder::kDrop:
      return total / (ranks * batch) * batch;
    case Remainder::kShort:
      return total / ranks;
    case Remainder::kRepeat:
      return (total + ranks * batch - 1) / (ranks * batch) * batch;
  }
  return 0;
}

// The first rows of a lane, up to `rows`.
std::vector<Segment> FirstRows(const Pass& pass, size_t lane, int64_t rows) {
  std::vector<Segment> first = pass.heads[lane];
  const Lane& rest = pass.lanes[lane];
  rest.Each(rest.base(), std::max(rows, rest.base()), [&first](const Segment& part) {
    if (!part.repeat) first.push_back(part);
  });
  return first;
}

// Fills the reader's lane up to `rows` rows by repeating the first rows of `from`, which has at least one.
void Repeat(Context& context, Pass& pass, int rank, int from, int64_t rows) {
  Lane& lane = pass.lanes[pass.LaneOf(rank)];
  if (lane.end() >= rows) return;
  const std::vector<Segment> first = FirstRows(pass, pass.LaneOf(from), pass.readers[static_cast<size_t>(from)].batch);
  if (first.empty()) return;
  for (size_t i = 0; lane.end() < rows; ++i) {
    const Segment& source = first[i % first.size()];
    Segment copy = source.Part(source.at, source.at + rows - lane.end());
    copy.bytes = 0;
    copy.repeat = true;
    pass.readers[static_cast<size_t>(rank)].repeated += copy.rows.count();
    OrderMove(context, pass, rank, from, copy);
  }
}

// Some reader whose lane has rows; -1 if no lane has.
int FirstWithRows(const Pass& pass) {
  for (int rank = 0; rank < static_cast<int>(pass.lanes.size()); ++rank) {
    if (pass.lanes[static_cast<size_t>(rank)].end() > 0) return rank;
  }
  return -1;
}

void CutUpTo(const Context& context, Lane& lane, int64_t rows) {
  if (context.options.shuffle == 0) return;
  while (lane.cut() < rows) lane.Cut(std::min(lane.cut() + context.options.shuffle, rows));
}

// Moves rows from lanes that have more than `rows` to those that have less. The rest is left out.
void Balance(Context& context, Pass& pass, int64_t rows) {
  std::deque<Spare> spare;
  // Sealed rows stay: windows depend on them. If they do not fill a batch, the readers do not return the rest of them.
  const int64_t kept = std::max(rows, pass.readers.front().sealed);
  for (int rank = 0; rank < context.ranks(); ++rank) {
    for (const Segment& segment : pass.lanes[static_cast<size_t>(rank)].Truncate(kept))
      spare.push_back({rank, segment});
    pass.readers[static_cast<size_t>(rank)].present.Remove({kept, kMostRows});
  }
  pass.left_out += (kept - rows) * context.ranks();
  for (int rank = 0; rank < context.ranks(); ++rank) {
    while (pass.lanes[static_cast<size_t>(rank)].end() < rows && !spare.empty()) {
      Spare& next = spare.front();
      const int64_t wanted = rows - pass.lanes[static_cast<size_t>(rank)].end();
      OrderMove(context, pass, rank, next.from, next.segment.Part(next.segment.at, next.segment.at + wanted));
      if (next.segment.rows.count() > wanted) {
        next.segment = next.segment.Part(next.segment.at + wanted, next.segment.end());
      } else {
        spare.pop_front();
      }
    }
  }
  for (const Spare& rest : spare) pass.left_out += rest.segment.rows.count();
}

void CloseEqual(Context& context, Pass& pass) {
  int64_t total = 0;
  for (const Lane& lane : pass.lanes) total += lane.end();
  const int64_t rows = Share(context.options.remainder, total, context.ranks(), pass.readers.front().batch);
  Balance(context, pass, rows);
  if (context.options.remainder == Remainder::kRepeat) {
    const int any = FirstWithRows(pass);
    for (int rank = 0; rank < context.ranks(); ++rank) {
      Repeat(context, pass, rank, pass.lanes[static_cast<size_t>(rank)].end() > 0 ? rank : any, rows);
    }
  }
  pass.closed = rows;
  for (Lane& lane : pass.lanes) CutUpTo(context, lane, rows);
}

void CloseAll(Context& context, Pass& pass) {
  const int64_t total = pass.lanes.front().end();
  const int64_t rows = Share(context.options.remainder, total, 1, pass.readers.front().batch);
  if (rows > total) {
    Repeat(context, pass, 0, 0, rows);
  } else {
    pass.left_out = total - rows;
  }
  pass.closed = rows;
  for (Lane& lane : pass.lanes) CutUpTo(context, lane, rows);
}

// Lets the reader return the rest of its lane. Returns whether it has returned everything that it will.
bool Drain(Context& context, Pass& pass, int rank) {
  const auto index = static_cast<size_t>(rank);
  PassReader& reader = pass.readers[index];
  Lane& lane = pass.lanes[index];
  const int64_t rest = lane.end() - reader.handed_out;
  if (!reader.waiting || rest >= reader.batch) return false;
  if (rest == 0 || context.options.remainder == Remainder::kDrop) return true;
  if (context.options.remainder == Remainder::kShort) {
    if (std::exchange(reader.short_to, lane.end()) == lane.end()) return false;
    // If the rows are not sealed yet, their seal will permit the short batch.
    int64_t from = reader.handed_out;
    lane.EachWindow([&from](Rows window) { from = window.from; });
    if (reader.sealed == lane.end()) {
      context.out.push_back(Seal{context.Id(rank), pass.number, from, lane.end(), true});
    }
  } else {
    Repeat(context, pass, rank, rank, lane.end() + reader.batch - rest);
    CutUpTo(context, lane, lane.end());
  }
  return false;
}

bool CloseDynamic(Context& context, Pass& pass) {
  bool drained = true;
  for (int rank = 0; rank < context.ranks(); ++rank) {
    const Reader& reader = context.state.readers[static_cast<size_t>(rank)];
    if (!reader.present() && !reader.returns) continue;
    drained = reader.present() && Drain(context, pass, rank) && drained;
  }
  if (!drained) return false;
  for (size_t lane = 0; lane < pass.lanes.size(); ++lane) {
    pass.left_out += pass.lanes[lane].end() - pass.readers[lane].handed_out;
  }
  pass.closed = pass.readers.front().handed_out;
  if (context.options.ranks_restart_alone) CommitPass(context, pass);
  return true;
}

}  // namespace

void OrderMove(Context& context, Pass& pass, int rank, int from, const Segment& segment) {
  Move move{from, segment};
  Lane& lane = pass.lanes[pass.LaneOf(rank)];
  move.segment.at = lane.Append(segment);
  const int last = context.options.split == Split::kAll ? context.ranks() - 1 : rank;
  for (int to = context.options.split == Split::kAll ? 0 : rank; to <= last; ++to) {
    // With split `all` each executor has all rows, so each reader repeats its own.
    if (context.options.split == Split::kAll) move.from = to;
    context.state.readers[static_cast<size_t>(to)].received += segment.bytes;
    context.out.push_back(MoveOrder(context, pass, to, move));
    pass.moves[{to, move.segment.at}] = move;
  }
}

Reassign MoveOrder(const Context& context, const Pass& pass, int rank, const Move& move) {
  return {.reader = context.Id(rank),
          .pass = pass.number,
          .from = move.from,
          .at = move.segment.at,
          .partition = move.segment.partition,
          .rows = move.segment.rows,
          .received = context.state.readers[static_cast<size_t>(rank)].received,
          .repeat = move.segment.repeat};
}

ClosePass CloseOrder(const Context& context, const Pass& pass, int rank) {
  bool empty = pass.partitions.nothing_committed();
  int64_t repeated = 0;
  for (int other = 0; other < context.ranks(); ++other) {
    empty = empty && pass.RowsOf(other) == 0;
    repeated += pass.readers[static_cast<size_t>(other)].repeated;
  }
  return {.reader = context.Id(rank),
          .pass = pass.number,
          .rows = pass.RowsOf(rank),
          .left_out = pass.left_out,
          .repeated = repeated,
          .empty = empty};
}

bool TryClose(Context& context, Pass& pass) {
  if (pass.closed || !IsComplete(context, pass)) return false;
  for (int rank = 0; rank < context.ranks(); ++rank) {
    const Reader& reader = context.state.readers[static_cast<size_t>(rank)];
    if (pass.readers[static_cast<size_t>(rank)].batch == 0 && reader.returns) return false;
  }
  if (context.options.split == Split::kDynamic) {
    if (!CloseDynamic(context, pass)) return false;
  } else {
    context.options.split == Split::kEqual ? CloseEqual(context, pass) : CloseAll(context, pass);
  }
  for (int rank = 0; rank < context.ranks(); ++rank) {
    Reader& reader = context.state.readers[static_cast<size_t>(rank)];
    if (!reader.present()) continue;
    reader.last_close = CloseOrder(context, pass, rank);
    context.out.push_back(*reader.last_close);
  }
  return true;
}

}  // namespace howdah::feed
