// How the program reads: which rows are the next ones, in whole batches.
#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "howdah/feed/shuffle.h"
#include "receiver_state.h"

namespace howdah::feed {
namespace {

using Next = Receiver::Next;

void AppendSlice(std::vector<Slice>& slices, const Slice& slice) {
  if (!slices.empty() && slices.back().block == slice.block && slices.back().repeat == slice.repeat &&
      slices.back().from + slices.back().rows == slice.from) {
    slices.back().rows += slice.rows;
  } else {
    slices.push_back(slice);
  }
}

Slice SliceOf(const Shelf& shelf, const Placement& placement) {
  const KeptBlock* block = shelf.Get(placement.block);
  return {placement.block, placement.rows.from - (block != nullptr ? block->rows.from : 0), placement.rows.count(),
          placement.repeat};
}

// The window that contains the position; an empty range if it is not sealed.
Rows WindowAt(const ReadPass& pass, int64_t position) {
  auto after = pass.windows.upper_bound(position);
  if (after == pass.windows.begin()) return {};
  const auto [from, to] = *std::prev(after);
  return position < to ? Rows{from, to} : Rows{};
}

// Whether the rows from <= index < to, in the order in which they are handed out, are here.
bool IsHere(const ReceiverState& state, const ReadPass& pass, int64_t from, int64_t to) {
  if (state.options.shuffle == 0) return pass.placed.Covers(from, to);
  while (from < to) {
    const Rows window = WindowAt(pass, from);
    if (window.count() == 0 || !pass.placed.Covers(window.from, window.to)) return false;
    from = window.to;
  }
  return true;
}

// The window with its rows in the order in which they are handed out, up to the index `from`.
OpenWindow OrderWindow(const ReceiverState& state, const ReadPass& pass, int64_t number, Rows positions) {
  const int lane = state.options.split == Split::kAll ? 0 : state.rank;
  const std::vector<Placement> parts = pass.placed.Between(positions.from, positions.to);
  OpenWindow window{.positions = positions, .slices = {}};
  for (const int32_t offset : WindowOrder({state.options.seed, number, lane, positions.from, positions.count()})) {
    const int64_t at = positions.from + offset;
    const auto part = std::prev(std::upper_bound(parts.begin(), parts.end(), at,
                                                 [](int64_t one, const Placement& other) { return one < other.at; }));
    AppendSlice(window.slices, SliceOf(state.shelf, part->Part(at, at + 1)));
  }
  return window;
}

// Appends the next rows of the window, at most `rows`. Returns their number.
int64_t TakeFromWindow(OpenWindow& window, int64_t rows, std::vector<Slice>& slices) {
  int64_t taken = 0;
  while (taken < rows && window.next < window.slices.size()) {
    const Slice& slice = window.slices[window.next];
    const int64_t count = std::min(rows - taken, slice.rows - window.done);
    AppendSlice(slices, {slice.block, slice.from + window.done, count, slice.repeat});
    taken += count;
    window.done += count;
    if (window.done == slice.rows) {
      ++window.next;
      window.done = 0;
    }
  }
  return taken;
}

// The end of the batch of `rows` rows that begins at `from`; nullopt if it cannot be returned now.
std::optional<int64_t> EndOfBatch(const ReceiverState& state, const ReadPass& pass, int64_t from, int64_t rows) {
  const int64_t limit = pass.closed ? std::min(pass.sealed, pass.closed->rows) : pass.sealed;
  const int64_t end = std::min(from + rows, limit);
  const bool last = (pass.closed && end == pass.closed->rows) || end == pass.short_to;
  const bool whole = end - from == rows || (end > from && last);
  if (state.broken || !whole || !IsHere(state, pass, from, end)) return std::nullopt;
  return end;
}

std::vector<Slice> TakeRows(const ReceiverState& state, ReadPass& pass, int64_t number, int64_t to) {
  std::vector<Slice> slices;
  if (state.options.shuffle == 0) {
    for (const Placement& part : pass.placed.Between(pass.fetched, to)) AppendSlice(slices, SliceOf(state.shelf, part));
    return slices;
  }
  for (int64_t at = pass.fetched; at < to;) {
    const Rows positions = WindowAt(pass, at);
    // The rows of a window are fetched in their order, from its first row on.
    if (!pass.window || !(pass.window->positions == positions)) {
      pass.window = OrderWindow(state, pass, number, positions);
    }
    at += TakeFromWindow(*pass.window, std::min(to, positions.to) - at, slices);
  }
  return slices;
}

Next Failure(FailFeed why) { return {.what = Next::What::kFailed, .failed = std::move(why)}; }

// The answer if no batch can be returned.
Next WhyNoBatch(const ReceiverState& state) {
  if (state.failed) return Failure(*state.failed);
  if (state.broken) return Failure(*state.broken);
  return {};
}

Next MisuseOf(int64_t pass, const std::string& how) {
  return Failure({FailFeed::Why::kMisuse, "pass " + std::to_string(pass) + " of the feed " + how});
}

}  // namespace

void UseInPass(ReceiverState& state, ReadPass& pass, BlockId block, int64_t rows) {
  state.shelf.Use(block, rows);
  pass.used[block] += rows;
}

void UseFirstBatch(ReceiverState& state, ReadPass& pass, const Placement& placement) {
  if (state.options.remainder != Remainder::kRepeat || placement.at >= pass.batch) return;
  UseInPass(state, pass, placement.block, placement.Part(placement.at, pass.batch).rows.count());
}

Next FetchRows(ReceiverState& state, const Receiver::Wanted& wanted, Receiver::Effects& effects) {
  const int64_t number = wanted.pass;
  if (wanted.rows < 1) return MisuseOf(number, "was read in batches of less than one row; request at least one row");
  if (number < 0 || number >= state.options.passes) {
    return MisuseOf(number, "does not exist: the feed has " + std::to_string(state.options.passes) +
                                " passes, counted from 0; set `epochs` to read it more often");
  }
  if (state.reader && number < state.first_pass) return MisuseOf(number, "is over; read the passes in their order");
  ReadPass* pass = state.reader ? state.Find(number) : nullptr;
  if (pass == nullptr) return WhyNoBatch(state);
  if (pass->batch == 0) {
    pass->batch = wanted.rows;
    effects.events.push_back(ReaderOpened{*state.reader, number, wanted.rows});
    for (const Placement& placement : pass->placed.Between(0, wanted.rows)) UseFirstBatch(state, *pass, placement);
  }
  if (pass->closed && pass->fetched >= pass->closed->rows) return {.what = Next::What::kEnd, .end = pass->closed};
  int64_t end = pass->fetched;
  for (int64_t batches = 0; batches < wanted.batches; ++batches) {
    const auto next = EndOfBatch(state, *pass, end, wanted.rows);
    if (!next) break;
    end = *next;
  }
  if (end == pass->fetched) {
    Next next = WhyNoBatch(state);
    const bool waits = wanted.waiting && next.what == Next::What::kWait && pass->returned == pass->fetched;
    if (waits && std::exchange(pass->waited_at, pass->returned) != pass->returned) {
      effects.events.push_back(RowsHandedOut{*state.reader, number, pass->returned, true});
    }
    return next;
  }
  Next next{.what = Next::What::kBatch, .slices = TakeRows(state, *pass, number, end)};
  pass->fetched = end;
  pass->unreturned.insert(pass->unreturned.end(), next.slices.begin(), next.slices.end());
  return next;
}

void ReturnRows(ReceiverState& state, int64_t number, int64_t rows, Receiver::Effects& effects) {
  ReadPass* pass = state.reader ? state.Find(number) : nullptr;
  if (pass == nullptr || rows <= pass->returned) return;
  int64_t left = std::min(rows, pass->fetched) - pass->returned;
  if (left <= 0) return;
  pass->returned += left;
  while (left > 0) {
    Slice& first = pass->unreturned.front();
    const int64_t count = std::min(left, first.rows);
    state.shelf.Release(first.block, count);
    if ((pass->used[first.block] -= count) == 0) pass->used.erase(first.block);
    first.from += count;
    first.rows -= count;
    left -= count;
    if (first.rows == 0) pass->unreturned.pop_front();
  }
  effects.events.push_back(RowsHandedOut{*state.reader, number, pass->returned, false});
}

}  // namespace howdah::feed
