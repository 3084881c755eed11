#include "executor.h"

#include <algorithm>

#include "howdah/feed/shuffle.h"

namespace howdah::testing::feed_sim {

using std::chrono::milliseconds;
using std::chrono::seconds;

// --- the reader ---

void Reader::Apply(const feed::Seal& order) {
  PassState& state = passes[order.pass];
  state.windows[order.from] = order.rows;
  state.sealed = std::max(state.sealed, order.rows);
  if (order.short_batch) state.short_to = order.rows;
}

int64_t Reader::handed_out(int64_t pass) const {
  const auto at = passes.find(pass);
  return at == passes.end() ? 0 : at->second.handed_out;
}

bool Reader::Has(int64_t pass, int64_t rows) const {
  const auto at = passes.find(pass);
  int64_t here = at == passes.end() ? 0 : static_cast<int64_t>(at->second.lane.size());
  for (const auto& [key, block] : unanswered) {
    if (block.event.pass == pass) here += block.event.rows.count();
  }
  return here >= rows;
}

int64_t Reader::BytesAhead(const Checker& checker) const {
  int64_t bytes = 0;
  for (const auto& [number, pass] : passes) {
    // Rows behind the end of a closed pass were left out, or moved.
    const auto rows = checker.RowsOf(id, number);
    if (rows && pass.handed_out >= *rows) continue;
    const auto end = rows ? pass.lane.lower_bound(*rows) : pass.lane.end();
    for (auto at = pass.lane.lower_bound(pass.handed_out); at != end; ++at) bytes += at->second.bytes;
  }
  return bytes + BytesUnanswered();
}

int64_t Reader::BytesUnanswered() const {
  int64_t bytes = 0;
  for (const auto& [key, block] : unanswered) bytes += block.event.bytes;
  return bytes;
}

const Reader::Placed* Reader::At(const feed::Options& options, int64_t pass, int64_t index) const {
  const PassState& state = passes.at(pass);
  int64_t at = index;
  if (options.shuffle > 0) {
    const auto window = state.windows.upper_bound(index);
    if (window == state.windows.begin()) return nullptr;
    const auto [from, to] = *std::prev(window);
    if (index >= to) return nullptr;
    const int lane = options.split == feed::Split::kAll ? 0 : id.rank;
    const feed::Window order{options.seed, pass, lane, from, to - from};
    at = from + feed::WindowOrder(order)[static_cast<size_t>(index - from)];
  }
  const auto placed = state.lane.find(at);
  return placed == state.lane.end() ? nullptr : &placed->second;
}

// --- messages ---

void Executor::Receive(const feed::Action& action) {
  if (!alive_ || world_.violation) return;
  std::visit(
      [this](const auto& order) {
        if constexpr (requires { order.reader; }) Adopt(order.reader);
        Do(order);
      },
      action);
  owner_.Poke(rank_);
}

void Executor::Send(const feed::Event& event) {
  world_.Send(
      [this, event] {
        // The AM may be dead: then the executor sends the message again when it is connected to the next one.
        if (alive_) am_.Deliver(event);
      },
      [this] { Resync(); });
}

void Executor::Resync() {
  if (!alive_ || std::exchange(syncing_, true)) return;
  // A connection that is up again: these messages are not lost.
  world_.schedule.After(milliseconds(1), [this] {
    syncing_ = false;
    ++connection_;
    if (!alive_ || !am_.Deliver(feed::ReaderSynced{rank_}) || !reader_) return;
    std::vector<feed::Event> events;
    // Before the rows that were handed out after them.
    for (const feed::StepReported& step : reader_->steps) events.push_back(step);
    for (const auto& [number, pass] : reader_->passes) {
      if (pass.batch > 0) events.push_back(feed::ReaderOpened{reader_->id, number, pass.batch});
      events.push_back(feed::RowsHandedOut{reader_->id, number, pass.handed_out, pass.waited_at == pass.handed_out});
      for (const int64_t at : pass.moved) events.push_back(feed::RowsMoved{reader_->id, number, at});
    }
    for (const auto& [key, block] : reader_->unanswered) {
      if (!DeliverBlock(key)) return;
    }
    for (const auto& [number, pass] : reader_->passes) {
      if (pass.kept_offered) events.push_back(feed::KeptRowsOffered{reader_->id, number});
    }
    if (reader_->checkpointed >= 0) events.push_back(feed::CheckpointReported{reader_->id, reader_->checkpointed});
    if (reader_->commit) events.push_back(*reader_->commit);
    for (const feed::Event& event : events) {
      if (!am_.Deliver(event)) return;
    }
  });
}

// An offer is delivered once over each connection, and not after its answer has arrived.
bool Executor::DeliverBlock(const BlockKey& key) {
  const auto block = reader_->unanswered.find(key);
  if (block == reader_->unanswered.end() || block->second.delivered == connection_) return true;
  block->second.delivered = connection_;
  return am_.Deliver(block->second.event);
}

void Executor::SendBlock(const BlockKey& key) {
  world_.Send(
      [this, key, event = reader_->unanswered.at(key).event] {
        if (!alive_) return;
        if (reader_ && reader_->id == event.reader) {
          DeliverBlock(key);
        } else {
          am_.Deliver(event);  // of an older incarnation
        }
      },
      [this] { Resync(); });
}

// --- orders ---

Executor::PassState* Executor::StateOf(const feed::ReaderId& reader, int64_t pass) {
  if (!reader_ || !(reader_->id == reader)) return nullptr;
  return &reader_->passes[pass];
}

void Executor::Adopt(const feed::ReaderId& reader) {
  if (reader.incarnation <= newest_) return;
  newest_ = reader.incarnation;
  reader_ = Reader{.id = reader};
  // Rows that were not kept are gone.
  store_.DropIf([this] { return !world_.random.Chance(world_.scenario.keeps); });
}

void Executor::Do(const feed::OpenPass& order) {
  if (!reader_ || !(reader_->id == order.reader)) return;
  PassState& state = reader_->passes[order.pass];
  if (state.kept_offered) return;
  OfferKept(order.pass);
  state.kept_offered = true;
  Send(feed::KeptRowsOffered{reader_->id, order.pass});
}

void Executor::OfferKept(int64_t pass) {
  std::optional<Row> first;
  int64_t rows = 0;
  for (const auto& [tag, row] : store_.rows()) {
    if (tag != store_.TagOf(pass)) continue;
    if (first && row.partition == first->partition && row.number == first->number + rows &&
        row.version == first->version) {
      ++rows;
      continue;
    }
    if (first) Offer(pass, *first, rows);
    first = row;
    rows = 1;
  }
  if (first) Offer(pass, *first, rows);
}

void Executor::Offer(int64_t pass, const Row& first, int64_t rows) {
  const feed::Rows range{first.number, first.number + rows};
  feed::RowsReceived event{reader_->id, pass, first.partition, range, 0};
  event.digest = DigestOf(first.partition, range, first.version);
  world_.Reach(Situation::kKeptRowsOffered);
  const BlockKey key{pass, first.partition, range.from, range.to};
  reader_->unanswered[key] = {event, first.version, [] {}};
  SendBlock(key);
}

void Executor::Do(const feed::AcceptRows& order) {
  PassState* state = StateOf(order.reader, order.pass);
  if (state == nullptr) return;
  int64_t placed_rows = 0;
  const auto block = reader_->unanswered.find({order.pass, order.partition, order.offered.from, order.offered.to});
  reader_->received = std::max(reader_->received, order.received);
  const bool on_disk = block == reader_->unanswered.end() || block->second.event.bytes == 0;
  for (const auto& placed : order.placed) {
    placed_rows += placed.rows.count();
    for (int64_t i = 0; i < placed.rows.count(); ++i) {
      if (state->lane.contains(placed.at + i)) continue;
      const int64_t number = placed.rows.from + i;
      std::optional<int> version;
      if (block != reader_->unanswered.end()) version = block->second.version;
      if (!version) version = store_.VersionOf(order.pass, order.partition, number);
      if (!version) continue;  // the rows have another answer to come
      const Row row{order.partition, number, *version};
      state->lane[placed.at + i] = {row, false, on_disk ? 0 : world_.scenario.row_bytes};
      store_.Keep(order.pass, row);
    }
  }
  if (block == reader_->unanswered.end()) return;
  for (const feed::Rows& kept : order.kept) {
    for (int64_t row = kept.from; row < kept.to; ++row)
      store_.Keep(order.pass, {order.partition, row, block->second.version});
  }
  if (placed_rows < order.offered.count()) world_.Reach(Situation::kDuplicateRefused);
  const auto acknowledged = block->second.acknowledged;
  reader_->unanswered.erase(block);
  acknowledged();
}

void Executor::Do(const feed::Reassign& order) {
  PassState* state = StateOf(order.reader, order.pass);
  if (state == nullptr) return;
  reader_->received = std::max(reader_->received, order.received);
  if (state->moved.contains(order.at)) return;
  if (!state->moves.emplace(order.at, order).second) return;
  world_.schedule.After(world_.Latency(), [this, pass = order.pass, at = order.at, id = order.reader] {
    if (reader_ && reader_->id == id) Fetch(pass, at);
  });
}

void Executor::Fetch(int64_t pass, int64_t at) {
  PassState& state = reader_->passes[pass];
  const auto move = state.moves.find(at);
  if (!alive_ || move == state.moves.end() || world_.violation) return;
  const feed::Reassign order = move->second;
  const Executor* donor = owner_.Find(order.from);
  std::vector<Row> rows;
  for (int64_t row = order.rows.from; row < order.rows.to; ++row) {
    auto version = store_.VersionOf(pass, order.partition, row);
    if (!version && donor != nullptr) version = donor->store_.VersionOf(pass, order.partition, row);
    if (version) rows.push_back({order.partition, row, *version});
  }
  if (static_cast<int64_t>(rows.size()) < order.rows.count()) {
    // The other executor does not have the rows yet, or is gone; then a new generation follows.
    world_.schedule.After(milliseconds(200), [this, pass, at, id = reader_->id] {
      if (reader_ && reader_->id == id) Fetch(pass, at);
    });
    return;
  }
  if (order.from != rank_) world_.Reach(Situation::kRowsMoved);
  for (const Row& row : rows) {
    state.lane[at + (row.number - order.rows.from)] = {row, order.repeat, 0};
    if (!order.repeat) store_.Keep(pass, row);
  }
  state.moves.erase(move);
  state.moved.insert(at);
  Send(feed::RowsMoved{reader_->id, pass, at});
}

// --- rows ---

bool Executor::TakeBlock(int64_t pass, feed::PartitionId partition, feed::Rows rows, int version,
                         const std::function<void()>& acknowledged) {
  if (!alive_ || !reader_ || !reader_->passes.contains(pass)) return false;
  const BlockKey key{pass, partition, rows.from, rows.to};
  if (reader_->received + reader_->BytesUnanswered() >= reader_->granted || reader_->unanswered.contains(key)) {
    world_.Reach(Situation::kNoCredit);
    return false;
  }
  // The credit of one block may be left from a time when the reader had less than a batch.
  const Scenario& scenario = world_.scenario;
  const int64_t wanted = std::max(scenario.options.buffer, scenario.batch * scenario.row_bytes);
  if (reader_->BytesAhead(checker_) >= wanted + scenario.block * scenario.row_bytes) {
    world_.Violate("Credit keeps the memory of an executor below the buffer",
                   std::to_string(reader_->BytesAhead(checker_)) + " bytes are ahead of rank " + std::to_string(rank_));
  }
  feed::RowsReceived event{reader_->id, pass, partition, rows, rows.count() * world_.scenario.row_bytes};
  event.digest = DigestOf(partition, rows, version);
  reader_->unanswered[key] = {event, version, acknowledged};
  SendBlock(key);
  return true;
}

// --- the reader ---

NextBatch Executor::Next(int64_t pass, int64_t batch) {
  if (failed_) return {.what = NextBatch::What::kFailed};
  if (!alive_ || !reader_ || !reader_->passes.contains(pass)) return {};
  PassState& state = reader_->passes[pass];
  if (std::exchange(state.batch, batch) == 0) Send(feed::ReaderOpened{reader_->id, pass, batch});
  if (state.closed && state.handed_out >= state.closed->rows) return {.what = NextBatch::What::kEndOfPass};
  const int64_t limit = state.closed ? std::min(state.sealed, state.closed->rows) : state.sealed;
  const int64_t rows = std::min(batch, limit - state.handed_out);
  const int64_t end = state.handed_out + rows;
  const bool whole =
      rows == batch || (rows > 0 && ((state.closed && end == state.closed->rows) || end == state.short_to));
  NextBatch next;
  for (int64_t i = state.handed_out; whole && i < end; ++i) {
    const Reader::Placed* placed = reader_->At(world_.scenario.options, pass, i);
    if (placed == nullptr) break;
    next.rows.push_back({placed->row, placed->repeat});
  }
  if (!whole || static_cast<int64_t>(next.rows.size()) < rows) {
    if (std::exchange(state.waited_at, state.handed_out) != state.handed_out)
      Send(feed::RowsHandedOut{reader_->id, pass, state.handed_out, true});
    return {};
  }
  if (rows < batch) world_.Reach(Situation::kShortened);
  next.what = NextBatch::What::kBatch;
  state.handed_out = end;
  checker_.HandedOut(reader_->id, pass, next.rows);
  Send(feed::RowsHandedOut{reader_->id, pass, state.handed_out, false});
  return next;
}

feed::StepReported Executor::NoteStep(int64_t pass, int64_t rows, int64_t step) {
  return reader_->steps.emplace_back(reader_->id, pass, rows, step);
}

void Executor::ReportCheckpoint(int64_t step) {
  if (!reader_) return;
  reader_->checkpointed = step;
  Send(feed::CheckpointReported{reader_->id, step});
}

void Executor::CallCommit(int64_t pass, int64_t rows) {
  if (!reader_) return;
  const int64_t call = reader_->commit ? reader_->commit->call + 1 : 1;
  reader_->commit = feed::CommitCalled{reader_->id, pass, rows, call};
  Send(*reader_->commit);
}

}  // namespace howdah::testing::feed_sim
