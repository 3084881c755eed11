#include "passes.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "closing.h"
#include "commits.h"

namespace howdah::feed {
namespace {

void OpenPassFor(Context& context, Pass& pass, int rank) {
  context.out.push_back(OpenPass{context.Id(rank), pass.number});
}

void OpenForAll(Context& context, Pass& pass) {
  for (int rank = 0; rank < context.ranks(); ++rank) {
    if (context.state.readers[static_cast<size_t>(rank)].present()) OpenPassFor(context, pass, rank);
  }
}

Pass& AddPass(Context& context, int64_t number, Partitions partitions) {
  if (auto later = context.state.later.extract(number)) partitions = std::move(later.mapped());
  if (!context.options.recompute) {
    for (const auto& [partition, end] : context.state.known_ends) {
      if (partitions.Find(partition) == nullptr) partitions.SetEnd(partition, end);
    }
  }
  Pass pass(number, std::move(partitions), context.options.split, context.ranks());
  // Nobody waits for a reader that does not return.
  for (size_t rank = 0; rank < pass.readers.size(); ++rank) {
    pass.readers[rank].kept_offered = !context.state.readers[rank].returns;
  }
  return context.state.round.passes.insert_or_assign(number, std::move(pass)).first->second;
}

// Keeps what is committed in a pass that will be opened again.
void KeepCommitted(Context& context, Pass& pass) {
  if (pass.partitions.nothing_committed()) return;
  pass.partitions.RollBack();
  context.state.later[pass.number] = std::move(pass.partitions);
}

// Drops a pass that lies between the last commit and the current pass. A later commit covers it as a whole.
void LimitPasses(Context& context) {
  auto& passes = context.state.round.passes;
  if (passes.size() <= kMostPasses) return;
  const auto second = std::next(passes.begin());
  for (Marks& marks : context.state.round.steps) marks.DropPass(second->first);
  for (Marks& marks : context.state.round.calls) marks.DropPass(second->first);
  KeepCommitted(context, second->second);
  passes.erase(second);
}

void OpenNext(Context& context) {
  const auto& passes = context.state.round.passes;
  if (!passes.empty() && !passes.rbegin()->second.closed) return;
  const int64_t next = passes.empty() ? context.state.committed_pass : passes.rbegin()->first + 1;
  if (next >= context.options.passes) return;
  for (const auto& [number, pass] : passes) {
    if (number < next - 1 && !pass.finished()) return;
  }
  OpenForAll(context, AddPass(context, next, {}));
  LimitPasses(context);
}

// The bytes and rows that the reader has not returned yet.
int64_t BytesAhead(const Context& context, int rank) {
  int64_t bytes = 0;
  for (const auto& [number, pass] : context.state.round.passes) {
    const PassReader& reader = pass.readers[static_cast<size_t>(rank)];
    if (pass.closed && reader.handed_out >= pass.RowsOf(rank)) continue;
    bytes += pass.lanes[pass.LaneOf(rank)].BytesFrom(reader.handed_out);
  }
  return bytes;
}

// Whether the reader cannot return a batch, although all passes before the newest are read.
bool Starves(const Context& context, int rank) {
  const auto& passes = context.state.round.passes;
  if (passes.empty() || passes.rbegin()->second.closed) return false;
  for (const auto& [number, pass] : passes) {
    const PassReader& reader = pass.readers[static_cast<size_t>(rank)];
    if (!pass.closed)
      return pass.lanes[pass.LaneOf(rank)].end() - reader.handed_out < std::max<int64_t>(reader.batch, 1);
    if (reader.handed_out < pass.RowsOf(rank)) return false;
  }
  return false;
}

// With split `all` one reader receives rows for all of them, and the slowest one counts.
std::pair<int64_t, bool> AheadAndStarves(const Context& context, int rank) {
  if (context.options.split != Split::kAll) return {BytesAhead(context, rank), Starves(context, rank)};
  std::pair<int64_t, bool> result{0, true};
  for (int other = 0; other < context.ranks(); ++other) {
    result.first = std::max(result.first, BytesAhead(context, other));
    result.second = result.second && Starves(context, other);
  }
  return result;
}

void EmitSeals(Context& context, Pass& pass, int rank, int64_t to) {
  PassReader& reader = pass.readers[static_cast<size_t>(rank)];
  if (to <= reader.sealed || !context.state.readers[static_cast<size_t>(rank)].present()) return;
  if (context.options.shuffle == 0) {
    context.out.push_back(Seal{context.Id(rank), pass.number, reader.sealed, to, to == reader.short_to});
  } else {
    pass.lanes[pass.LaneOf(rank)].EachWindow([&](Rows window) {
      if (window.to <= reader.sealed || window.to > to) return;
      context.out.push_back(Seal{context.Id(rank), pass.number, window.from, window.to, window.to == reader.short_to});
    });
  }
  reader.sealed = to;
}

// Ends windows of a shuffled feed: when they are full, when the reader with the fewest rows has no room for more, and
// at the end of the pass.
void CutWindows(Context& context, const Pass& pass, Lane& lane, int64_t available, bool stuck) {
  const int64_t window = context.options.shuffle;
  if (window == 0 || pass.closed) return;
  while (available - lane.cut() >= window) lane.Cut(lane.cut() + window);
  if (stuck) lane.Cut(available);
}

void SealLockstep(Context& context, Pass& pass) {
  int64_t available = std::numeric_limits<int64_t>::max();
  for (const PassReader& reader : pass.readers) available = std::min(available, reader.present.prefix());
  if (available <= pass.readers.front().sealed) return;
  if (context.options.shuffle > 0) {
    bool stuck = false;
    for (int rank = 0; rank < context.ranks(); ++rank) {
      stuck =
          stuck || (pass.readers[static_cast<size_t>(rank)].present.prefix() == available && !HasRoom(context, rank));
    }
    for (Lane& lane : pass.lanes) CutWindows(context, pass, lane, available, stuck);
    available = pass.lanes.front().SettleLimit(available, true);
  }
  for (int rank = 0; rank < context.ranks(); ++rank) EmitSeals(context, pass, rank, available);
}

void SealDynamic(Context& context, Pass& pass, int rank) {
  PassReader& reader = pass.readers[static_cast<size_t>(rank)];
  Lane& lane = pass.lanes[static_cast<size_t>(rank)];
  int64_t available = reader.present.prefix();
  if (context.options.shuffle > 0) {
    CutWindows(context, pass, lane, available, IsComplete(context, pass) || !HasRoom(context, rank));
    available = lane.SettleLimit(available, true);
  }
  EmitSeals(context, pass, rank, available);
}

}  // namespace

bool IsComplete(const Context& context, const Pass& pass) {
  const auto& count = context.state.partitions;
  return count && pass.partitions.complete() == *count && pass.partitions.end() <= *count;
}

bool HasRoom(const Context& context, int rank) {
  const auto [ahead, starves] = AheadAndStarves(context, rank);
  return ahead < context.options.buffer || starves;
}

void Fail(Context& context, FailFeed::Why why, std::string message) {
  if (context.over()) return;
  context.state.failed = why;
  context.state.failure = message;
  context.out.push_back(FailFeed{why, std::move(message), context.state.incarnations});
}

void BeginRound(Context& context) {
  State& state = context.state;
  Partitions partitions;
  if (Pass* pass = context.Find(state.committed_pass)) partitions = std::move(pass->partitions);
  partitions.RollBack();
  for (auto& [number, pass] : state.round.passes) {
    if (number > state.committed_pass) KeepCommitted(context, pass);
  }
  const size_t groups = context.lockstep() ? 1 : state.readers.size();
  state.round = {.passes = {}, .steps = std::vector<Marks>(groups), .calls = std::vector<Marks>(groups)};
  state.ended = false;
  for (Reader& reader : state.readers) {
    // A rank that restarts alone gets its reader with RankStarted.
    reader = reader.present() ? Reader{.incarnation = state.incarnations++} : Reader{.returns = reader.returns};
  }
  if (state.committed_pass < context.options.passes) {
    OpenForAll(context, AddPass(context, state.committed_pass, std::move(partitions)));
  }
}

void LoseReader(Context& context, int rank) {
  const auto index = static_cast<size_t>(rank);
  State& state = context.state;
  for (auto& [number, pass] : state.round.passes) {
    if (pass.closed) continue;  // all its rows are committed
    for (const auto& [partition, rows] : pass.settled[index]) {
      for (const Rows& range : rows.ranges()) pass.partitions.Release(partition, range);
    }
    const Lane& lane = pass.lanes[index];
    lane.Each(lane.base(), lane.end(), [&pass = pass](const Segment& part) {
      if (!part.repeat) pass.partitions.Release(part.partition, part.rows);
    });
    pass.settled[index].clear();
    pass.heads[index].clear();
    pass.lanes[index] = {};
    pass.readers[index] = {};
    pass.readers[index].kept_offered = !state.readers[index].returns;
    std::erase_if(pass.moves, [rank](const auto& move) { return move.first.first == rank; });
    pass.requested = false;
  }
  state.round.steps[index] = {};
  state.round.calls[index] = {};
}

void RestartReader(Context& context, int rank) {
  State& state = context.state;
  state.readers[static_cast<size_t>(rank)] = Reader{.incarnation = state.incarnations++};
  for (auto& [number, pass] : state.round.passes) {
    pass.readers[static_cast<size_t>(rank)].kept_offered = false;
    pass.requested = false;
    OpenPassFor(context, pass, rank);
    if (pass.closed) context.out.push_back(CloseOrder(context, pass, rank));
  }
}

void AdvancePasses(Context& context) {
  auto& passes = context.state.round.passes;
  if (!passes.empty() && TryClose(context, passes.rbegin()->second)) AdvanceCommits(context);
  if (context.ranks() > 0) OpenNext(context);
}

void SealRows(Context& context) {
  for (auto& [number, pass] : context.state.round.passes) {
    if (context.lockstep()) {
      SealLockstep(context, pass);
    } else {
      for (int rank = 0; rank < context.ranks(); ++rank) SealDynamic(context, pass, rank);
    }
  }
}

RequestRows MissingRows(const Context& context, const Pass& pass) {
  return {pass.number, pass.partitions.Incomplete(context.state.partitions.value_or(kMostPartitions))};
}

void RequestRowsOnce(Context& context) {
  for (auto& [number, pass] : context.state.round.passes) {
    if (pass.requested || pass.closed) continue;
    if (std::any_of(pass.readers.begin(), pass.readers.end(), [](const auto& r) { return !r.kept_offered; })) continue;
    pass.requested = true;
    RequestRows request = MissingRows(context, pass);
    if (!request.partitions.empty()) context.out.push_back(std::move(request));
  }
}

void GrantCredits(Context& context) {
  if (context.state.ended) return;  // the first order of a reader that starts now must not follow the end
  for (int rank = 0; rank < context.ranks(); ++rank) {
    Reader& reader = context.state.readers[static_cast<size_t>(rank)];
    if (!reader.present() || (context.options.split == Split::kAll && rank > 0)) continue;
    const auto [ahead, starves] = AheadAndStarves(context, rank);
    int64_t limit = reader.received + std::max<int64_t>(context.options.buffer - ahead, 0);
    if (limit == reader.received && starves) ++limit;
    // Small amounts are collected, unless the reader has no credit left.
    const bool exhausted = reader.granted <= reader.received;
    if (limit <= reader.granted || (!exhausted && limit - reader.granted < context.options.buffer / 8)) continue;
    reader.granted = limit;
    context.out.push_back(GrantCredit{context.Id(rank), limit});
  }
}

void EndWhenRead(Context& context) {
  State& state = context.state;
  const auto& passes = state.round.passes;
  if (state.ended || state.readers.empty()) return;
  if (!passes.empty() && (passes.rbegin()->first + 1 < context.options.passes || !passes.rbegin()->second.finished())) {
    return;
  }
  if (passes.empty() && state.committed_pass < context.options.passes) return;
  state.ended = true;
  context.out.push_back(EndFeed{});
}

void RepeatOrders(Context& context, int rank) {
  const auto index = static_cast<size_t>(rank);
  const Reader& reader = context.state.readers[index];
  const ReaderId id = context.Id(rank);
  if (reader.last_close && context.Find(reader.last_close->pass) == nullptr) context.out.push_back(*reader.last_close);
  for (const auto& [number, pass] : context.state.round.passes) {
    const PassReader& progress = pass.readers[index];
    const Lane& lane = pass.lanes[pass.LaneOf(rank)];
    context.out.push_back(OpenPass{id, number});
    lane.Each(lane.base(), lane.end(), [&, number = number](const Segment& part) {
      if (part.repeat) return;
      for (const Rows& present : progress.present.Common({part.at, part.end()})) {
        const Segment placed = part.Part(present.from, present.to);
        context.out.push_back(
            AcceptRows{id, number, part.partition, placed.rows, {{placed.at, placed.rows}}, {}, reader.received});
      }
    });
    for (auto at = pass.moves.lower_bound({rank, 0}); at != pass.moves.end() && at->first.first == rank; ++at) {
      context.out.push_back(MoveOrder(context, pass, rank, at->second));
    }
    if (context.options.shuffle == 0 && progress.sealed > 0) {
      context.out.push_back(Seal{id, number, 0, progress.sealed, progress.sealed == progress.short_to});
    } else {
      lane.EachWindow([&, number = number](Rows window) {
        if (window.to > progress.sealed) return;
        context.out.push_back(Seal{id, number, window.from, window.to, window.to == progress.short_to});
      });
    }
    if (pass.closed) context.out.push_back(CloseOrder(context, pass, rank));
    if (progress.committed > 0) context.out.push_back(Committed{id, number, progress.committed});
  }
  if (reader.granted > 0) context.out.push_back(GrantCredit{id, reader.granted});
}

}  // namespace howdah::feed
