#include "howdah/feed/receiver.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "receiver_state.h"

namespace howdah::feed {
namespace {

using Effects = Receiver::Effects;

Effects Finished(ReceiverState& state, Effects effects) {
  effects.dropped = state.shelf.TakeUnused();
  return effects;
}

// Keeps every second step, and the newest. A commit may then cover less. The ledger does the same.
void LimitSteps(std::vector<StepReported>& steps) {
  if (steps.size() <= kMostMarks) return;
  size_t kept = 0;
  for (size_t i = (steps.size() - 1) % 2; i < steps.size(); i += 2) steps[kept++] = steps[i];
  steps.resize(kept);
}

}  // namespace

Receiver::Receiver(const Options& options, int rank, int64_t newest)
    : state_(std::make_unique<ReceiverState>(ReceiverState{.options = options,
                                                           .rank = rank,
                                                           .newest = newest,
                                                           .shelf = {},
                                                           .failed = {},
                                                           .reader = {},
                                                           .passes = {},
                                                           .offers = {},
                                                           .steps = {},
                                                           .commit = {},
                                                           .broken = {}})) {}
Receiver::~Receiver() = default;

Effects Receiver::Do(const Action& order) {
  Effects effects;
  Obey(*state_, order, effects);
  return Finished(*state_, std::move(effects));
}

std::vector<Event> Receiver::Resync() const {
  std::vector<Event> events{ReaderSynced{state_->rank}};
  if (!state_->reader) return events;
  const ReaderId& reader = *state_->reader;
  // Before the rows that were returned after them.
  for (const StepReported& step : state_->steps) events.push_back(step);
  std::vector<const Offer*> offers;
  for (const auto& [key, offer] : state_->offers) offers.push_back(&offer);
  std::sort(offers.begin(), offers.end(), [](const Offer* a, const Offer* b) { return a->order < b->order; });
  for (const Offer* offer : offers) events.push_back(offer->event);
  for (const auto& [number, pass] : state_->passes) {
    for (const auto& [at, rows] : pass.moved) events.push_back(RowsMoved{reader, number, at});
  }
  for (const auto& [number, pass] : state_->passes) {
    if (pass.batch > 0) events.push_back(ReaderOpened{reader, number, pass.batch});
    if (pass.opened) events.push_back(KeptRowsOffered{reader, number});
    const bool waits = pass.waited_at == pass.returned && pass.fetched == pass.returned;
    events.push_back(RowsHandedOut{reader, number, pass.returned, waits});
  }
  if (state_->checkpointed >= 0) events.push_back(CheckpointReported{reader, state_->checkpointed});
  if (state_->commit) events.push_back(*state_->commit);
  return events;
}

std::optional<Effects> Receiver::Take(BlockId block, int64_t pass, PartitionId partition, Rows rows, int64_t bytes,
                                      std::optional<uint64_t> digest) {
  ReceiverState& state = *state_;
  if (!has_credit() || state.Find(pass) == nullptr || state.shelf.Get(block) != nullptr) return std::nullopt;
  if (partition < 0 || rows.from < 0 || rows.count() <= 0 || rows.to > kMostRows || bytes < 0) return std::nullopt;
  Offer offer{.event = {*state.reader, pass, partition, rows, bytes, digest},
              .pieces = {{block, partition, rows}},
              .stored = false,
              .order = state.offered};
  if (!state.offers.try_emplace({pass, partition, rows.from, rows.to}, offer).second) return std::nullopt;
  ++state.offered;
  state.offered_bytes += bytes;
  state.shelf.Add({block, state.TagOf(pass), partition, rows, bytes, false, digest});
  state.shelf.Use(block, rows.count());
  Effects effects;
  effects.events.push_back(offer.event);
  return Finished(state, std::move(effects));
}

bool Receiver::has_credit() const {
  return state_->reader && !state_->failed && state_->received + state_->offered_bytes < state_->granted;
}

Effects Receiver::Fetched(const Reassign& move, const std::vector<KeptBlock>& blocks) {
  ReceiverState& state = *state_;
  Effects effects;
  std::vector<Piece> arrived;
  for (KeptBlock block : blocks) {
    if (state.shelf.Get(block.id) != nullptr || block.partition != move.partition) continue;
    block.tag = state.TagOf(move.pass);
    state.shelf.Add(block);
    arrived.push_back({block.id, block.partition, block.rows});
  }
  if (Wants(move) && TryMove(state, move, arrived, effects)) {
    RetryMoves(state, move.partition, effects);
  }
  return Finished(state, std::move(effects));
}

bool Receiver::Wants(const Reassign& move) const {
  if (!state_->reader || !(*state_->reader == move.reader)) return false;
  const ReadPass* pass = state_->Find(move.pass);
  return pass != nullptr && pass->moves.contains(move.at);
}

std::vector<Slice> Receiver::Find(int64_t pass, PartitionId partition, Rows rows) const {
  std::vector<Slice> slices;
  for (const Piece& piece : state_->shelf.Find(state_->TagOf(pass), partition, rows)) {
    const KeptBlock* block = state_->shelf.Get(piece.block);
    slices.push_back({piece.block, piece.rows.from - block->rows.from, piece.rows.count()});
  }
  return slices;
}

std::pair<Receiver::Next, Effects> Receiver::Fetch(const Wanted& wanted) {
  Effects effects;
  Next next = FetchRows(*state_, wanted, effects);
  return {std::move(next), Finished(*state_, std::move(effects))};
}

Effects Receiver::Returned(int64_t pass, int64_t rows) {
  Effects effects;
  ReturnRows(*state_, pass, rows, effects);
  return Finished(*state_, std::move(effects));
}

Effects Receiver::StepDone(int64_t pass, int64_t rows, int64_t step) {
  Effects effects;
  if (!state_->reader) return effects;
  state_->steps.push_back({*state_->reader, pass, rows, step});
  effects.events.push_back(state_->steps.back());
  LimitSteps(state_->steps);
  ReturnRows(*state_, pass, rows, effects);
  return Finished(*state_, std::move(effects));
}

Effects Receiver::Checkpointed(int64_t step) {
  Effects effects;
  if (!state_->reader) return effects;
  state_->checkpointed = std::max(state_->checkpointed, step);
  effects.events.push_back(CheckpointReported{*state_->reader, step});
  return effects;
}

Effects Receiver::CommitCalled(int64_t pass, int64_t rows) {
  Effects effects;
  if (!state_->reader) return effects;
  const int64_t call = state_->commit ? state_->commit->call + 1 : 1;
  state_->commit = feed::CommitCalled{*state_->reader, pass, rows, call};
  effects.events.push_back(*state_->commit);
  ReturnRows(*state_, pass, rows, effects);
  return Finished(*state_, std::move(effects));
}

Effects Receiver::Stop() {
  EndIncarnation(*state_, state_->newest + 1);
  return Finished(*state_, {});
}

Effects Receiver::MovedToDisk(BlockId block) {
  state_->shelf.MoveToDisk(block);
  return {};
}

Effects Receiver::Lost(BlockId block) {
  Effects effects;
  if (NeededNow(block)) {
    const PartitionId partition = state_->shelf.Get(block)->partition;
    state_->broken = FailFeed{FailFeed::Why::kLost, "rows of partition " + std::to_string(partition) +
                                                        " of the feed are lost: the task had no space for them; set a "
                                                        "larger `spool`"};
    effects.wake = true;
  }
  state_->shelf.Forget(block);
  return Finished(*state_, std::move(effects));
}

bool Receiver::NeededNow(BlockId block) const { return state_->shelf.InUse(block); }

std::vector<KeptBlock> Receiver::kept() const { return state_->shelf.blocks(); }

int64_t Receiver::incarnation() const { return state_->reader ? state_->reader->incarnation : -1; }

std::optional<int64_t> Receiver::first_pass() const {
  for (const auto& [number, pass] : state_->passes) {
    if (pass.opened) return number;
  }
  return std::nullopt;
}

bool Receiver::ended() const { return state_->ended; }

}  // namespace howdah::feed
