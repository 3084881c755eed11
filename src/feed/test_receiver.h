// A receiver for stories: short names for orders, and what the receiver has done.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "howdah/feed/receiver.h"

namespace howdah::feed::testing {

class TestReceiver {
 public:
  explicit TestReceiver(const Options& options) : receiver_(options, 0) {}

  // A new incarnation reads the pass, and has credit.
  void Open(int64_t pass, int64_t incarnation) {
    id_ = {0, incarnation};
    Do(OpenPass{id_, pass});
    Do(GrantCredit{id_, int64_t{1} << 30});
  }
  void Do(const Action& order) { Note(receiver_.Do(order)); }
  bool Take(BlockId block, PartitionId partition, Rows rows, int64_t bytes = 100) {
    auto effects = receiver_.Take(block, pass_, partition, rows, bytes, static_cast<uint64_t>(block));
    if (effects) Note(std::move(*effects));
    return effects.has_value();
  }
  // The ledger places all rows of the block at this position.
  void Accept(PartitionId partition, Rows rows, int64_t at) {
    Do(AcceptRows{id_, pass_, partition, rows, {{at, rows}}, {}, 0});
  }
  // A source has sent the rows, and the reader may return them.
  void Receive(BlockId block, PartitionId partition, Rows rows, int64_t at) {
    ASSERT_TRUE(Take(block, partition, rows));
    Accept(partition, rows, at);
    Seal(at, at + rows.count());
  }
  void Seal(int64_t from, int64_t rows, bool short_batch = false) {
    Do(feed::Seal{id_, pass_, from, rows, short_batch});
  }
  Receiver::Next Fetch(int64_t rows, bool waiting = true, int64_t batches = 1) {
    auto [next, effects] = receiver_.Fetch({.pass = pass_, .rows = rows, .batches = batches, .waiting = waiting});
    Note(std::move(effects));
    return next;
  }
  void Return(int64_t rows) { Note(receiver_.Returned(pass_, rows)); }
  // Fetches and returns so many rows, in one batch.
  void Read(int64_t rows) {
    ASSERT_EQ(Fetch(rows).what, Receiver::Next::What::kBatch);
    read_ += rows;
    Return(read_);
  }
  void Note(Receiver::Effects effects) {
    for (Event& event : effects.events) events_.push_back(std::move(event));
    acknowledged_.insert(acknowledged_.end(), effects.acknowledged.begin(), effects.acknowledged.end());
    dropped_.insert(dropped_.end(), effects.dropped.begin(), effects.dropped.end());
    fetch_.insert(fetch_.end(), effects.fetch.begin(), effects.fetch.end());
    wake_ = effects.wake;
  }
  void Pass(int64_t pass) {
    pass_ = pass;
    read_ = 0;
  }

  // The events of this type since the last call.
  template <typename T>
  std::vector<T> Events() {
    std::vector<T> taken;
    for (const Event& event : events_) {
      if (const auto* one = std::get_if<T>(&event)) taken.push_back(*one);
    }
    events_.clear();
    return taken;
  }
  void Forget() { events_.clear(); }
  // Since the last call.
  std::vector<BlockId> Dropped() { return std::exchange(dropped_, {}); }
  std::vector<BlockId> Acknowledged() { return std::exchange(acknowledged_, {}); }
  std::vector<Reassign> Fetches() { return std::exchange(fetch_, {}); }
  bool wake() const { return wake_; }  // of the last call
  Receiver& receiver() { return receiver_; }
  const ReaderId& id() const { return id_; }

 private:
  Receiver receiver_;
  ReaderId id_;
  int64_t pass_ = 0, read_ = 0;
  std::vector<Event> events_;
  std::vector<BlockId> acknowledged_, dropped_;
  std::vector<Reassign> fetch_;
  bool wake_ = false;
};

}  // namespace howdah::feed::testing
