#include "commits.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace howdah::feed {
namespace {

// The index of a reader's marks and settled rows.
size_t GroupOf(const Context& context, int rank) { return context.lockstep() ? 0 : static_cast<size_t>(rank); }

std::optional<Window> OrderOf(const Context& context, const Pass& pass, size_t lane) {
  if (context.options.shuffle == 0) return std::nullopt;
  return Window{.seed = context.options.seed, .pass = pass.number, .lane = static_cast<int>(lane)};
}

// Whether the marks of the group can no longer reach this position, because the rows before it were settled.
bool IsSettled(const Context& context, const Pass& pass, int rank, int64_t rows) {
  if (!context.lockstep()) return rows < pass.lanes[static_cast<size_t>(rank)].base();
  return std::any_of(pass.lanes.begin(), pass.lanes.end(), [rows](const Lane& lane) { return rows < lane.base(); });
}

// Adds a mark, if the report is about rows that the reader can have.
bool AddMark(Context& context, std::vector<Marks>& all, const ReaderId& reader, Position position, int64_t step) {
  const Pass* pass = context.Find(position.pass);
  if (pass == nullptr || position.rows < 0 || step < 0) return false;
  if (position.rows > pass->lanes[pass->LaneOf(reader.rank)].end()) return false;
  Marks& marks = all[GroupOf(context, reader.rank)];
  if (IsSettled(context, *pass, reader.rank, position.rows)) {
    marks.DropAbove(step, position);
  } else {
    marks.Add(step, position);
  }
  return true;
}

void CommitLane(const Context& context, Pass& pass, size_t lane, int64_t rows) {
  const auto order = OrderOf(context, pass, lane);
  pass.lanes[lane].EachHandedOut(rows, order ? &*order : nullptr, [&pass](const Segment& part) {
    if (!part.repeat) pass.partitions.Commit(part.partition, part.rows);
  });
}

void CommitSettled(Pass& pass, size_t group) {
  for (const auto& [partition, rows] : pass.settled[group]) {
    for (const Rows& range : rows.ranges()) pass.partitions.Commit(partition, range);
  }
  pass.settled[group].clear();
}

// Commits the first `rows` rows of each reader (`dynamic`: of this reader).
void CommitRows(Context& context, Pass& pass, int rank, int64_t rows) {
  CommitSettled(pass, GroupOf(context, rank));
  if (!context.lockstep()) {
    CommitLane(context, pass, static_cast<size_t>(rank), rows);
    PassReader& reader = pass.readers[static_cast<size_t>(rank)];
    reader.committed = std::max(reader.committed, rows);
    return;
  }
  for (size_t lane = 0; lane < pass.lanes.size(); ++lane) CommitLane(context, pass, lane, rows);
  for (PassReader& reader : pass.readers) reader.committed = std::max(reader.committed, rows);
}

void CommitTo(Context& context, int rank, Position target) {
  State& state = context.state;
  auto& passes = state.round.passes;
  if (context.lockstep()) {
    // Every reader has read the earlier passes to their end.
    passes.erase(passes.begin(), passes.lower_bound(target.pass));
    state.committed_pass = std::max(state.committed_pass, target.pass);
  } else {
    for (auto at = passes.begin(); at != passes.end() && at->first < target.pass; ++at) {
      CommitRows(context, at->second, rank, at->second.readers[static_cast<size_t>(rank)].handed_out);
    }
  }
  if (Pass* pass = context.Find(target.pass)) CommitRows(context, *pass, rank, target.rows);
  state.round.steps[GroupOf(context, rank)].DropTo(target);
  state.round.calls[GroupOf(context, rank)].DropTo(target);
}

// Whether every reader of the group has handed out as many rows.
bool HandedOut(const Context& context, int rank, Position target) {
  const Pass* pass = context.Find(target.pass);
  if (pass == nullptr) return false;
  if (!context.lockstep()) return pass->readers[static_cast<size_t>(rank)].handed_out >= target.rows;
  return std::all_of(pass->readers.begin(), pass->readers.end(),
                     [&](const PassReader& reader) { return reader.handed_out >= target.rows; });
}

void AdvanceGroup(Context& context, int rank) {
  State& state = context.state;
  const size_t group = GroupOf(context, rank);
  int64_t calls = state.readers[static_cast<size_t>(rank)].calls;
  if (context.lockstep()) {
    for (const Reader& reader : state.readers) calls = std::min(calls, reader.calls);
  }
  for (const auto& target :
       {state.round.steps[group].At(state.round.checkpointed), state.round.calls[group].At(calls)}) {
    if (!target || !HandedOut(context, rank, *target)) continue;
    CommitTo(context, rank, *target);
    for (int to = 0; to < context.ranks(); ++to) {
      if (context.lockstep() || to == rank)
        context.out.push_back(Committed{context.Id(to), target->pass, target->rows});
    }
  }
}

// Forgets passes whose rows are all committed.
void EndCommittedPasses(State& state) {
  auto& passes = state.round.passes;
  while (!passes.empty() && passes.begin()->second.committed() && passes.begin()->second.finished()) {
    state.committed_pass = passes.begin()->first + 1;
    passes.erase(passes.begin());
  }
}

void SettleLane(Context& context, Pass& pass, size_t lane, size_t group, int64_t rows) {
  Lane& settling = pass.lanes[lane];
  const int64_t limit = settling.SettleLimit(rows, context.options.shuffle > 0);
  if (limit <= settling.base()) return;
  std::vector<Segment>& head = pass.heads[lane];
  const bool repeats = context.options.remainder == Remainder::kRepeat;
  const int64_t batch = pass.readers[context.options.split == Split::kAll ? 0 : lane].batch;
  if (repeats && batch == 0) return;  // the report of the batch size is late, and decides which rows must stay known
  settling.Settle(limit, [&](const Segment& part) {
    if (part.repeat) return;
    pass.settled[group][part.partition].Add(part.rows);
    if (repeats && part.at < batch) head.push_back(part.Part(part.at, batch));
  });
}

}  // namespace

bool NoteStep(Context& context, const StepReported& event) {
  if (!context.Knows(event.reader)) return false;
  return AddMark(context, context.state.round.steps, event.reader, {event.pass, event.rows}, event.step);
}

bool NoteCheckpoint(Context& context, const CheckpointReported& event) {
  if (!context.Knows(event.reader) || event.step <= context.state.round.checkpointed) return false;
  context.state.round.checkpointed = event.step;
  context.state.known_step = std::max(context.state.known_step, event.step);
  return true;
}

bool NoteCommitCall(Context& context, const CommitCalled& event) {
  if (!context.Knows(event.reader)) return false;
  Reader& reader = context.state.readers[static_cast<size_t>(event.reader.rank)];
  if (event.call <= reader.calls) return false;
  if (!AddMark(context, context.state.round.calls, event.reader, {event.pass, event.rows}, event.call)) return false;
  reader.calls = event.call;
  return true;
}

void CommitStep(Context& context, int64_t step) {
  State& state = context.state;
  for (int group = 0; group < static_cast<int>(state.round.steps.size()); ++group) {
    const auto target = state.round.steps[static_cast<size_t>(group)].At(step);
    Pass* const pass = target ? context.Find(target->pass) : nullptr;
    if (pass == nullptr) continue;
    for (int rank = 0; rank < context.ranks(); ++rank) {
      // In lockstep, the mark of one reader shows that every reader can have as many rows.
      int64_t& handed_out = pass->readers[static_cast<size_t>(rank)].handed_out;
      if (context.lockstep() || rank == group) handed_out = std::max(handed_out, target->rows);
    }
    CommitTo(context, group, *target);
  }
  EndCommittedPasses(state);
}

bool CoversStep(const Context& context, int64_t step) {
  const State& state = context.state;
  if (step <= state.known_step) return true;
  if (!state.previous) return false;
  const auto& steps = state.previous->steps;
  return std::any_of(steps.begin(), steps.end(), [step](const Marks& marks) { return marks.Has(step); });
}

bool CommitPrevious(Context& context, const CheckpointFound& event) {
  State& state = context.state;
  if (!state.previous || event.generation != state.generation) return false;
  bool found = false;
  for (const Marks& marks : state.previous->steps) found = found || marks.At(event.step);
  if (!found) return false;
  state.known_step = std::max(state.known_step, event.step);
  state.round = std::move(*state.previous);
  state.previous.reset();
  for (int group = 0; group < static_cast<int>(state.round.steps.size()); ++group) {
    if (const auto target = state.round.steps[static_cast<size_t>(group)].At(event.step)) {
      CommitTo(context, group, *target);
    }
  }
  EndCommittedPasses(state);
  return true;
}

void AdvanceCommits(Context& context) {
  State& state = context.state;
  const int groups = context.lockstep() ? std::min(1, context.ranks()) : context.ranks();
  for (int rank = 0; rank < groups; ++rank) AdvanceGroup(context, rank);
  EndCommittedPasses(state);
}

void CommitPass(Context& context, Pass& pass) {
  for (int rank = 0; rank < context.ranks(); ++rank) {
    const int64_t rows = pass.readers[static_cast<size_t>(rank)].handed_out;
    CommitRows(context, pass, rank, rows);
    context.out.push_back(Committed{context.Id(rank), pass.number, rows});
  }
}

void SettleLanes(Context& context) {
  for (auto& [number, pass] : context.state.round.passes) {
    const auto limit = [&](size_t group, int64_t rows) {
      for (const Marks* marks : {&context.state.round.steps[group], &context.state.round.calls[group]}) {
        rows = std::min(rows, marks->Oldest(number).value_or(rows));
      }
      return rows;
    };
    if (context.lockstep()) {
      int64_t rows = pass.readers.front().handed_out;
      for (const PassReader& reader : pass.readers) rows = std::min(rows, reader.handed_out);
      rows = limit(0, rows);
      for (size_t lane = 0; lane < pass.lanes.size(); ++lane) SettleLane(context, pass, lane, 0, rows);
    } else {
      for (size_t lane = 0; lane < pass.lanes.size(); ++lane) {
        SettleLane(context, pass, lane, lane, limit(lane, pass.readers[lane].handed_out));
      }
    }
  }
}

}  // namespace howdah::feed
