// A ledger for stories: short names for events, and the actions of a kind.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "howdah/feed/ledger.h"

namespace howdah::feed::testing {

class TestFeed {
 public:
  // A feed whose source has `partitions` partitions, and a first generation of `ranks` ranks that read batches.
  TestFeed(const Options& options, int ranks, int64_t batch, int64_t partitions) : ledger_(options), batch_(batch) {
    Step(SourceEnded{partitions});
    Generation(ranks);
  }

  void Step(Event event) {
    StepResult result = ledger_.Step(event, now_);
    ledger_.CheckInvariants();
    if (result.changed) records_.push_back(EncodeRecord(event, now_));
    changed_ = result.changed;
    for (Action& action : result.actions) {
      if (const auto* open = std::get_if<OpenPass>(&action)) NoteOpen(*open);
      actions_.push_back(std::move(action));
    }
  }
  void Wait(Duration duration) { now_ += duration; }
  void Generation(int ranks) {
    readers_.resize(static_cast<size_t>(ranks));
    Step(GenerationFormed{++generation_, ranks});
    Open(pass_);
  }
  // All readers begin the pass, and their executors have kept no rows.
  void Open(int64_t pass) {
    for (const ReaderId& reader : readers_) {
      Step(ReaderOpened{reader, pass, batch_});
      Step(KeptRowsOffered{reader, pass});
    }
  }
  void Receive(int rank, PartitionId partition, Rows rows, int64_t bytes = 0, std::optional<uint64_t> digest = {}) {
    Step(RowsReceived{Id(rank), pass_, partition, rows, bytes, digest});
  }
  void HandOut(int rank, int64_t rows, bool waiting = false) { Step(RowsHandedOut{Id(rank), pass_, rows, waiting}); }
  void End(PartitionId partition, int64_t rows, std::optional<uint64_t> digest = {}) {
    Step(PartitionEnded{pass_, partition, rows, digest});
  }
  ReaderId Id(int rank) const { return readers_[static_cast<size_t>(rank)]; }

  // The actions of this type since the last call of Take.
  template <typename T>
  std::vector<T> Take() {
    std::vector<T> taken;
    for (const Action& action : actions_) {
      if (const auto* one = std::get_if<T>(&action)) taken.push_back(*one);
    }
    actions_.clear();
    return taken;
  }

  const std::vector<Action>& Actions() const { return actions_; }
  Ledger& ledger() { return ledger_; }
  const std::vector<std::string>& records() const { return records_; }
  int64_t pass() const { return pass_; }
  int64_t generation() const { return generation_; }
  bool changed() const { return changed_; }  // by the last event
  Instant now() const { return now_; }

 private:
  void NoteOpen(const OpenPass& open) {
    pass_ = open.pass;
    readers_[static_cast<size_t>(open.reader.rank)] = open.reader;
  }

  Ledger ledger_;
  int64_t batch_;
  std::vector<ReaderId> readers_;
  std::vector<Action> actions_;
  std::vector<std::string> records_;
  int64_t pass_ = 0, generation_ = 0;
  bool changed_ = false;
  Instant now_{std::chrono::seconds(1'795'000'000)};
};

}  // namespace howdah::feed::testing
