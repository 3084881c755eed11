#include "executor.h"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

namespace howdah::testing::feed_sim {

using feed::Receiver;
using std::chrono::milliseconds;

namespace {

Reader::OfferKey KeyOf(const feed::RowsReceived& event) {
  return {event.pass, event.partition, event.rows.from, event.rows.to};
}

}  // namespace

// --- the reader ---

int64_t Reader::handed_out(int64_t pass) const {
  const auto at = passes.find(pass);
  return at == passes.end() ? 0 : at->second.handed_out;
}

bool Reader::Has(int64_t pass, int64_t rows) const {
  const auto at = passes.find(pass);
  int64_t here = at == passes.end() ? 0 : static_cast<int64_t>(at->second.lane.size());
  for (const auto& [key, offer] : unanswered) {
    if (offer.event.pass == pass) here += offer.event.rows.count();
  }
  return here >= rows;
}

int64_t Reader::BytesAhead(const Checker& checker) const {
  int64_t ahead = 0;
  for (const auto& [key, offer] : unanswered) ahead += offer.event.bytes;
  for (const auto& [number, pass] : passes) {
    // Rows behind the end of a closed pass were left out, or moved.
    const auto rows = checker.RowsOf(id, number);
    if (rows && pass.handed_out >= *rows) continue;
    const auto end = rows ? pass.lane.lower_bound(*rows) : pass.lane.end();
    for (auto at = pass.lane.lower_bound(pass.handed_out); at != end; ++at) ahead += at->second;
  }
  return ahead;
}

// --- orders ---

void Executor::Receive(const feed::Action& action) {
  if (!alive_ || world_.violation) return;
  std::visit(
      [this](const auto& order) {
        if constexpr (requires { order.reader; }) {
          if (order.reader.incarnation > newest_) {
            newest_ = order.reader.incarnation;
            prefetched_.reset();
            Apply(receiver_.Stop());
            LoseBlocks();
            reader_ = Reader{.id = order.reader};
          }
          if (!reader_ || !(reader_->id == order.reader)) return;
        }
        Note(order);
      },
      action);
  // Later passes want rows again.
  const auto* open = std::get_if<feed::OpenPass>(&action);
  if (open != nullptr && reader_ && !reader_->passes.contains(open->pass)) LoseBlocks();
  Apply(receiver_.Do(action));
}

void Executor::StopReader() {
  reader_.reset();
  prefetched_.reset();
  failed_ = false;
  Apply(receiver_.Stop());
}

void Executor::LoseBlocks() {
  for (const feed::KeptBlock& block : receiver_.kept()) {
    if (receiver_.NeededNow(block.id)) continue;
    if (!world_.random.Chance(world_.scenario.keeps)) {
      blocks_.erase(block.id);
      Apply(receiver_.Lost(block.id));
    } else if (world_.random.Chance(0.7)) {
      Apply(receiver_.MovedToDisk(block.id));
    }
  }
}

// The answer to an offer, or its repetition: then only rows that are kept get their positions.
void Executor::Note(const feed::AcceptRows& order) {
  Reader::PassState& pass = reader_->passes[order.pass];
  const auto offer = reader_->unanswered.find({order.pass, order.partition, order.offered.from, order.offered.to});
  const bool answer = offer != reader_->unanswered.end();
  int64_t rows = 0;
  for (const auto& placed : order.placed) {
    rows += placed.rows.count();
    for (int64_t i = 0; i < placed.rows.count(); ++i) {
      const feed::Rows row{placed.rows.from + i, placed.rows.from + i + 1};
      if (!answer && receiver_.Find(order.pass, order.partition, row).empty()) continue;
      pass.lane.try_emplace(placed.at + i, answer && offer->second.event.bytes > 0 ? world_.scenario.row_bytes : 0);
    }
  }
  if (answer && rows < order.offered.count()) world_.Reach(Situation::kDuplicateRefused);
  if (answer) reader_->unanswered.erase(offer);
}

void Executor::Note(const feed::Reassign& order) { reader_->passes[order.pass].moves[order.at] = order.rows.count(); }

void Executor::Apply(const Receiver::Effects& effects) {
  for (const feed::Event& event : effects.events) {
    if (const auto* offer = std::get_if<feed::RowsReceived>(&event)) {
      if (offer->bytes == 0 || !blocks_.contains(block_ids_)) world_.Reach(Situation::kKeptRowsOffered);
      reader_->unanswered[KeyOf(*offer)] = {*offer};
      SendOffer(*offer);
      continue;
    }
    if (const auto* moved = std::get_if<feed::RowsMoved>(&event)) {
      Reader::PassState& pass = reader_->passes[moved->pass];
      for (int64_t i = 0; i < pass.moves[moved->at]; ++i) pass.lane.try_emplace(moved->at + i, 0);
    }
    Send(event);
  }
  for (const feed::BlockId id : effects.acknowledged) blocks_.at(id).acknowledged();
  for (const feed::BlockId id : effects.dropped) blocks_.erase(id);
  for (const feed::Reassign& move : effects.fetch) {
    world_.schedule.After(world_.Latency(), [this, move] { Fetch(move); });
  }
  if (effects.wake) owner_.Poke(rank_);
}

// Rows of another executor. It may not have them yet, or be gone; then a new generation follows.
void Executor::Fetch(const feed::Reassign& move) {
  if (!alive_ || world_.violation || !receiver_.Wants(move)) return;
  std::vector<feed::KeptBlock> arrived;
  const Executor* donor = owner_.Find(move.from);
  const auto slices =
      donor != nullptr ? donor->receiver_.Find(move.pass, move.partition, move.rows) : std::vector<feed::Slice>{};
  for (const feed::Slice& slice : slices) {
    const Block& source = donor->blocks_.at(slice.block);
    const int64_t first = source.rows.from + slice.from;
    const feed::Rows rows{first, first + slice.rows};
    const feed::BlockId id = ++block_ids_;
    blocks_[id] = {move.partition, rows, source.version};
    arrived.push_back({.id = id,
                       .partition = move.partition,
                       .rows = rows,
                       .bytes = rows.count() * world_.scenario.row_bytes,
                       .digest = DigestOf(move.partition, rows, source.version)});
  }
  Apply(receiver_.Fetched(move, arrived));
  if (receiver_.Wants(move)) {
    world_.schedule.After(milliseconds(200), [this, move] { Fetch(move); });
  } else {
    world_.Reach(Situation::kRowsMoved);
  }
}

// --- messages ---

void Executor::Send(const feed::Event& event) {
  world_.Send(
      [this, event, am = am_.instance()] {
        // The AM may be dead: then the executor sends the message again when it is connected to the next one.
        if (alive_ && am_.instance() == am) am_.Deliver(event);
      },
      [this] { Resync(); });
}

void Executor::Resync() {
  if (!alive_ || std::exchange(syncing_, true)) return;
  // A connection that is up again: these messages are not lost.
  world_.schedule.After(milliseconds(1), [this] {
    syncing_ = false;
    ++connection_;
    if (!alive_) return;
    for (const feed::Event& event : receiver_.Resync()) {
      const auto* offer = std::get_if<feed::RowsReceived>(&event);
      if (!(offer != nullptr ? DeliverOffer(*offer) : am_.Deliver(event))) return;
    }
  });
}

// An offer is delivered once over each connection, and not after its answer has arrived.
bool Executor::DeliverOffer(const feed::RowsReceived& event) {
  if (!reader_ || !(reader_->id == event.reader)) return am_.Deliver(event);  // of an older incarnation
  const auto offer = reader_->unanswered.find(KeyOf(event));
  if (offer == reader_->unanswered.end() || offer->second.delivered == connection_) return true;
  offer->second.delivered = connection_;
  return am_.Deliver(event);
}

void Executor::SendOffer(const feed::RowsReceived& event) {
  world_.Send(
      [this, event, am = am_.instance()] {
        if (alive_ && am_.instance() == am) DeliverOffer(event);
      },
      [this] { Resync(); });
}

// --- rows ---

bool Executor::TakeBlock(int64_t pass, feed::PartitionId partition, feed::Rows rows, int version,
                         const std::function<void()>& acknowledged) {
  if (!alive_) return false;
  const Scenario& scenario = world_.scenario;
  const int64_t ahead = reader_ ? reader_->BytesAhead(checker_) : 0;
  const feed::BlockId id = ++block_ids_;
  blocks_[id] = {partition, rows, version, acknowledged};
  const auto effects =
      receiver_.Take(id, pass, partition, rows, rows.count() * scenario.row_bytes, DigestOf(partition, rows, version));
  if (!effects) {
    blocks_.erase(id);
    if (reader_ && reader_->passes.contains(pass)) world_.Reach(Situation::kNoCredit);
    return false;
  }
  // The credit of one block may be left from a time when the reader had less than a batch.
  const int64_t wanted = std::max(scenario.options.buffer, scenario.batch * scenario.row_bytes);
  if (ahead >= wanted + scenario.block * scenario.row_bytes) {
    world_.Violate("Credit keeps the memory of an executor below the buffer",
                   std::to_string(ahead) + " bytes are ahead of rank " + std::to_string(rank_));
  }
  Apply(*effects);
  return true;
}

// --- the program ---

NextBatch Executor::FetchBatch(int64_t pass, int64_t batch, bool waiting) {
  const auto [next, effects] = receiver_.Fetch({.pass = pass, .rows = batch, .waiting = waiting});
  Apply(effects);
  switch (next.what) {
    case Receiver::Next::What::kEnd:
      return {.what = NextBatch::What::kEndOfPass};
    case Receiver::Next::What::kFailed:
      return {.what = NextBatch::What::kFailed};
    case Receiver::Next::What::kWait:
      return {};
    case Receiver::Next::What::kBatch:
      break;
  }
  NextBatch result{.what = NextBatch::What::kBatch};
  for (const feed::Slice& slice : next.slices) {
    const Block& block = blocks_.at(slice.block);
    for (int64_t i = slice.from; i < slice.from + slice.rows; ++i) {
      result.rows.push_back({{block.partition, block.rows.from + i, block.version}, slice.repeat});
    }
  }
  return result;
}

NextBatch Executor::Next(int64_t pass, int64_t batch) {
  if (!alive_ || !reader_) return {};
  NextBatch next;
  if (prefetched_ && prefetched_->pass == pass) {
    next = std::exchange(prefetched_, std::nullopt)->batch;
  } else {
    next = FetchBatch(pass, batch, true);
  }
  if (next.what != NextBatch::What::kBatch) return next;
  if (static_cast<int64_t>(next.rows.size()) < batch) world_.Reach(Situation::kShortened);
  int64_t& handed_out = reader_->passes[pass].handed_out;
  handed_out += static_cast<int64_t>(next.rows.size());
  checker_.HandedOut(reader_->id, pass, next.rows);
  Apply(receiver_.Returned(pass, handed_out));
  // Sometimes the program fetches a batch before it needs it.
  if (world_.random.Chance(0.3)) {
    NextBatch ahead = FetchBatch(pass, batch, false);
    if (ahead.what == NextBatch::What::kBatch) prefetched_ = {pass, std::move(ahead)};
  }
  return next;
}

feed::StepReported Executor::NoteStep(int64_t pass, int64_t rows, int64_t step) {
  return std::get<feed::StepReported>(receiver_.StepDone(pass, rows, step).events.front());
}

void Executor::ReportCheckpoint(int64_t step) { Apply(receiver_.Checkpointed(step)); }

void Executor::CallCommit(int64_t pass, int64_t rows) { Apply(receiver_.CommitCalled(pass, rows)); }

}  // namespace howdah::testing::feed_sim
