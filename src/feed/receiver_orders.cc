// How a receiver carries out the orders of the ledger.
#include <algorithm>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "howdah/feed/shuffle.h"
#include "receiver_state.h"

namespace howdah::feed {
namespace {

using Effects = Receiver::Effects;

// Offers of kept rows are divided at this size, so that rows that other readers have to fetch come in moderate
// portions.
constexpr int64_t kLargestOffer = int64_t{64} << 20;

// Whether no later pass will want rows that this pass no longer needs.
bool IsLastUse(const ReceiverState& state, int64_t pass) {
  return state.options.recompute || pass + 1 >= state.options.passes;
}

// nullptr: the pass is over.
ReadPass* PassOf(ReceiverState& state, int64_t pass) { return pass < state.first_pass ? nullptr : &state.passes[pass]; }

void PlaceRows(ReceiverState& state, ReadPass& pass, const Placement& placement) {
  for (const Placement& part : pass.placed.Fill(placement)) {
    UseInPass(state, pass, part.block, part.rows.count());
    UseFirstBatch(state, pass, part);
  }
}

// The parts of pieces that contain the rows.
template <typename Visit>
void EachPart(const std::vector<Piece>& pieces, Rows rows, const Visit& visit) {
  for (const Piece& piece : pieces) {
    const Rows part{std::max(piece.rows.from, rows.from), std::min(piece.rows.to, rows.to)};
    if (part.count() > 0) visit(Piece{piece.block, piece.partition, part});
  }
}

// Keeps the rows of the pieces, and returns the rows with the blocks in which they are kept. Those may be other blocks:
// the rows of all positions are in blocks that are kept, where other readers find them.
std::vector<Piece> KeepRows(ReceiverState& state, int64_t pass, PartitionId partition, const std::vector<Piece>& pieces,
                            Rows rows) {
  EachPart(pieces, rows, [&state](const Piece& part) { state.shelf.Keep(part.block, part.rows); });
  return state.shelf.Find(state.TagOf(pass), partition, rows);
}

void ForgetPass(ReceiverState& state, const ReadPass& pass) {
  for (const auto& [block, rows] : pass.used) state.shelf.Release(block, rows);
}

// A pass is opened when every reader has returned the rows of the pass before the last one.
void ForgetReadPasses(ReceiverState& state) {
  while (!state.passes.empty()) {
    const auto first = state.passes.begin();
    if (first->first + 2 > state.passes.rbegin()->first || !first->second.unreturned.empty()) return;
    ForgetPass(state, first->second);
    state.first_pass = first->first + 1;
    state.passes.erase(first);
  }
}

// --- offers ---

void OfferRun(ReceiverState& state, int64_t pass, std::vector<Piece> run, Effects& effects) {
  if (run.empty()) return;
  Offer offer{.event = {*state.reader, pass, run.front().partition, {run.front().rows.from, run.back().rows.to}},
              .pieces = {},
              .stored = true,
              .order = state.offered++};
  offer.event.digest = 0;
  for (const Piece& piece : run) {
    offer.event.bytes += state.shelf.BytesOf(piece);
    const KeptBlock* block = state.shelf.Get(piece.block);
    const bool known = offer.event.digest && block != nullptr && block->digest && piece.rows == block->rows;
    offer.event.digest = known ? std::optional(*offer.event.digest + *block->digest) : std::nullopt;
  }
  offer.pieces = std::move(run);
  const Rows& rows = offer.event.rows;
  const RowsReceived event = offer.event;
  const auto [at, added] = state.offers.try_emplace({pass, event.partition, rows.from, rows.to}, std::move(offer));
  if (!added) return;  // a source has sent the same rows
  for (const Piece& piece : at->second.pieces) state.shelf.Use(piece.block, piece.rows.count());
  state.offered_bytes += event.bytes;
  effects.events.push_back(event);
}

// Offers the rows that are kept, in the order in which they were kept. Adjacent rows are offered together.
void OfferKeptRows(ReceiverState& state, int64_t pass, Effects& effects) {
  std::vector<Piece> run;
  int64_t bytes = 0;
  for (const Piece& piece : state.shelf.All(state.TagOf(pass))) {
    const KeptBlock& block = *state.shelf.Get(piece.block);
    const bool joins = !run.empty() && run.back().partition == piece.partition &&
                       run.back().rows.to == piece.rows.from && bytes < kLargestOffer &&
                       (state.shelf.BytesOf(run.back()) == 0) == (state.shelf.BytesOf(piece) == 0);
    if (!joins) {
      OfferRun(state, pass, std::exchange(run, {}), effects);
      bytes = 0;
    }
    run.push_back(piece);
    bytes += block.bytes;
  }
  OfferRun(state, pass, std::move(run), effects);
}

// Refused rows are kept if a later pass may want them, or an earlier one for another reader.
void DropRefused(ReceiverState& state, const ReadPass& pass, const Offer& offer, const RowRanges& wanted) {
  const int64_t number = offer.event.pass;
  if (!offer.stored || !IsLastUse(state, number)) return;
  if (!state.options.recompute && state.passes.contains(number - 1)) return;
  RowRanges needed = pass.placed.RowsOf(offer.event.partition);
  needed.Add(wanted);
  // The ledger has forgotten the positions of committed rows, so its answer does not list them.
  if (const auto first = pass.first_batch.find(offer.event.partition); first != pass.first_batch.end()) {
    needed.Add(first->second);
  }
  for (const Rows& refused : needed.Missing(offer.event.rows)) {
    state.shelf.Drop(state.TagOf(number), offer.event.partition, refused);
  }
}

// --- commits ---

// The rows of the pass that the reader has returned first are committed. Shuffled rows are released by whole windows.
void ReleaseCommitted(ReceiverState& state, int64_t number, ReadPass& pass, int64_t rows) {
  int64_t limit = std::min(rows, pass.returned);
  if (state.options.shuffle > 0) {
    int64_t whole = pass.placed.base();
    while (!pass.windows.empty() && pass.windows.begin()->second <= limit) {
      whole = pass.windows.begin()->second;
      pass.windows.erase(pass.windows.begin());
    }
    limit = whole;
  }
  // Readers may have to repeat the first batch.
  const int64_t needed = state.options.remainder == Remainder::kRepeat ? pass.batch : 0;
  for (const Placement& placement : pass.placed.Trim(limit)) {
    if (placement.repeat) continue;
    if (placement.at < needed) pass.first_batch[placement.partition].Add(placement.Part(0, needed).rows);
    if (!IsLastUse(state, number) || placement.end() <= needed) continue;
    const Placement part = placement.Part(needed, placement.end());
    state.shelf.Drop(state.TagOf(number), part.partition, part.rows);
  }
}

// --- orders ---

void Carry(ReceiverState& state, const OpenPass& order, Effects& effects) {
  ReadPass* pass = PassOf(state, order.pass);
  if (pass == nullptr || std::exchange(pass->opened, true)) return;
  OfferKeptRows(state, order.pass, effects);
  effects.events.push_back(KeptRowsOffered{*state.reader, order.pass});
}

void Carry(ReceiverState& state, const AcceptRows& order, Effects& effects) {
  state.received = std::max(state.received, order.received);
  ReadPass* pass = PassOf(state, order.pass);
  const auto found = state.offers.find({order.pass, order.partition, order.offered.from, order.offered.to});
  const bool answer = found != state.offers.end();
  const Offer offer = answer ? found->second : Offer{};
  RowRanges wanted;
  for (const AcceptRows::Placed& placed : order.placed) {
    if (pass == nullptr) break;
    wanted.Add(placed.rows);
    // Without an offer the order is a repetition. It names rows that are kept since the first time; other rows have
    // their own answer to come.
    for (const Piece& part : KeepRows(state, order.pass, order.partition, offer.pieces, placed.rows)) {
      const int64_t at = placed.at + (part.rows.from - placed.rows.from);
      PlaceRows(state, *pass, {at, part.block, part.partition, part.rows});
    }
  }
  if (answer) {
    for (const Rows& kept : order.kept) {
      wanted.Add(kept);
      for (const Piece& part : KeepRows(state, order.pass, order.partition, offer.pieces, kept)) {
        if (pass != nullptr) UseInPass(state, *pass, part.block, part.rows.count());
      }
    }
    if (pass != nullptr) DropRefused(state, *pass, offer, wanted);
    for (const Piece& piece : offer.pieces) state.shelf.Release(piece.block, piece.rows.count());
    if (!offer.stored) effects.acknowledged.push_back(offer.pieces.front().block);
    state.offered_bytes -= offer.event.bytes;
    state.offers.erase(found);
  }
  RetryMoves(state, order.partition, effects);
}

void Carry(ReceiverState& state, const GrantCredit& order, Effects&) {
  state.granted = std::max(state.granted, order.bytes);
}

void Carry(ReceiverState& state, const Seal& order, Effects&) {
  ReadPass* pass = PassOf(state, order.pass);
  if (pass == nullptr || order.from < 0 || order.rows <= order.from) return;
  if (state.options.shuffle > 0 && order.rows > pass->placed.base()) {
    if (order.rows - order.from > kLargestPool) return;
    pass->windows[order.from] = order.rows;
  }
  pass->sealed = std::max(pass->sealed, order.rows);
  if (order.short_batch) pass->short_to = std::max(pass->short_to, order.rows);
  // The ledger knows that the rows of these moves are here.
  pass->moved.erase(pass->moved.begin(), pass->moved.lower_bound(pass->sealed));
}

void Carry(ReceiverState& state, const Reassign& order, Effects& effects) {
  state.received = std::max(state.received, order.received);
  ReadPass* pass = PassOf(state, order.pass);
  if (pass == nullptr || order.rows.count() <= 0 || order.at < 0) return;
  if (order.at < pass->sealed || pass->moved.contains(order.at)) return;
  if (!pass->moves.emplace(order.at, order).second) return;
  if (TryMove(state, order, {}, effects)) return;
  // Own rows come with the answer to their offer.
  if (order.from != state.rank) effects.fetch.push_back(order);
}

void Carry(ReceiverState& state, const ClosePass& order, Effects&) {
  if (ReadPass* pass = PassOf(state, order.pass)) pass->closed = order;
}

void Carry(ReceiverState& state, const Committed& order, Effects&) {
  std::erase_if(state.steps, [&order](const StepReported& step) {
    return std::pair(step.pass, step.rows) <= std::pair(order.pass, order.rows);
  });
  for (auto at = state.passes.begin(); at != state.passes.end() && at->first <= order.pass; ++at) {
    ReleaseCommitted(state, at->first, at->second, at->first < order.pass ? at->second.returned : order.rows);
  }
  // Readers that have returned rows of a pass have returned all rows of the passes before it.
  if (state.options.recompute) state.shelf.DropTagsBelow(order.rows > 0 ? order.pass : order.pass - 1);
}

void Carry(ReceiverState& state, const EndFeed&, Effects&) { state.ended = true; }

void Carry(ReceiverState& state, const FailFeed& order, Effects& effects) {
  if (!state.failed) effects.failed = order;
  if (!state.failed || state.failed->before < order.before) state.failed = order;
}

void Carry(ReceiverState&, const RequestRows&, Effects&) {}

}  // namespace

void EndIncarnation(ReceiverState& state, int64_t next) {
  for (const auto& [number, pass] : state.passes) ForgetPass(state, pass);
  for (const auto& [key, offer] : state.offers) {
    for (const Piece& piece : offer.pieces) state.shelf.Release(piece.block, piece.rows.count());
  }
  ReceiverState begun{.options = state.options,
                      .rank = state.rank,
                      .newest = state.newest,
                      .shelf = std::move(state.shelf),
                      .failed = {},
                      .reader = {},
                      .passes = {},
                      .offers = {},
                      .steps = {},
                      .commit = {},
                      .broken = {}};
  if (state.failed && state.failed->before > next) begun.failed = std::move(state.failed);
  state = std::move(begun);
}

bool TryMove(ReceiverState& state, const Reassign& move, const std::vector<Piece>& arrived, Effects& effects) {
  ReadPass* pass = state.Find(move.pass);
  if (pass == nullptr || !pass->moves.contains(move.at)) return false;
  std::vector<Piece> pieces;
  RowRanges missing;
  missing.Add(move.rows);
  const auto take = [&](const Piece& part) {
    for (const Rows& rows : missing.Common(part.rows)) {
      pieces.push_back({part.block, part.partition, rows});
      missing.Remove(rows);
    }
  };
  EachPart(state.shelf.Find(state.TagOf(move.pass), move.partition, move.rows), move.rows, take);
  EachPart(arrived, move.rows, take);
  if (!missing.empty()) return false;
  for (const Piece& piece : pieces) {
    if (!move.repeat) state.shelf.Keep(piece.block, piece.rows);
    const int64_t at = move.at + (piece.rows.from - move.rows.from);
    PlaceRows(state, *pass, {at, piece.block, piece.partition, piece.rows, move.repeat});
  }
  pass->moved[move.at] = move.rows.count();
  effects.events.push_back(RowsMoved{*state.reader, move.pass, move.at});
  effects.wake = true;
  pass->moves.erase(move.at);  // `move` may be the erased order
  return true;
}

void RetryMoves(ReceiverState& state, PartitionId partition, Effects& effects) {
  std::vector<Reassign> waiting;
  for (const auto& [number, pass] : state.passes) {
    for (const auto& [at, move] : pass.moves) {
      if (move.partition == partition) waiting.push_back(move);
    }
  }
  for (const Reassign& move : waiting) TryMove(state, move, {}, effects);
}

void Obey(ReceiverState& state, const Action& action, Effects& effects) {
  std::visit(
      [&](const auto& order) {
        if constexpr (requires { order.reader; }) {
          if (order.reader.rank != state.rank) return;
          if (order.reader.incarnation > state.newest) {
            EndIncarnation(state, order.reader.incarnation);
            state.newest = order.reader.incarnation;
            state.reader = order.reader;
          }
          if (!state.reader || !(*state.reader == order.reader)) return;
        }
        Carry(state, order, effects);
        effects.wake = true;
      },
      action);
  ForgetReadPasses(state);
}

}  // namespace howdah::feed
