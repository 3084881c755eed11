// The executor of one rank under simulation: a feed::Receiver, whose blocks have simulated content, and its messages.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

#include "am.h"
#include "checker.h"
#include "howdah/feed/action.h"
#include "howdah/feed/receiver.h"
#include "rows.h"
#include "world.h"

namespace howdah::testing::feed_sim {

// One incarnation of the reader, as the simulation sees it from outside of the receiver: its orders and events.
struct Reader {
  struct PassState {
    std::map<int64_t, int64_t> lane;   // the bytes of the row at each position that is filled
    std::map<int64_t, int64_t> moves;  // position and rows of moves that were ordered
    int64_t handed_out = 0;
  };
  using OfferKey = std::tuple<int64_t, feed::PartitionId, int64_t, int64_t>;
  struct Offer {
    feed::RowsReceived event;
    int64_t delivered = -1;  // the connection over which the AM has received it
  };

  feed::ReaderId id;
  std::map<int64_t, PassState> passes = {};
  std::map<OfferKey, Offer> unanswered = {};

  int64_t handed_out(int64_t pass) const;
  // Whether as many rows of the pass are here, placed or not.
  bool Has(int64_t pass, int64_t rows) const;
  int64_t BytesAhead(const Checker& checker) const;
};

// The answer to a reader that wants the next batch.
struct NextBatch {
  enum class What { kBatch, kEndOfPass, kWait, kFailed };
  What what = What::kWait;
  std::vector<ReadRow> rows = {};
};

class Executor {
 public:
  // The other parts of the simulation.
  class Owner {
   public:
    virtual ~Owner() = default;
    // Something has happened that may let the reader of this rank continue.
    virtual void Poke(int rank) = 0;
    // The executor of a rank; nullptr if it is gone.
    virtual Executor* Find(int rank) = 0;
  };
  // Orders to the incarnation that the rank has now went to the executor before.
  Executor(World& world, SimAm& am, Checker& checker, Owner& owner, int rank)
      : world_(world),
        am_(am),
        checker_(checker),
        owner_(owner),
        rank_(rank),
        newest_(am.incarnation(rank)),
        receiver_(world.scenario.options, rank, newest_),
        tail_(am.AddTail(rank)) {}

  // A message from the AM. Messages to a dead executor are lost.
  void Receive(const feed::Action& action);
  // The records that its messages have brought.
  ExecutorTail& tail() { return *tail_; }
  // After a lost connection: sends everything again that the AM may not have received.
  void Resync();
  // The number of the connection to the AM. Answers to offers do not arrive after their connection was lost.
  int64_t connection() const { return connection_; }
  void Die() { alive_ = tail_->alive = false; }
  // The process of the rank has died. Its reader returns no more rows.
  void StopReader();
  bool alive() const { return alive_; }

  // A source sends rows. Returns false if the executor has no credit. acknowledged: called when the AM has answered.
  bool TakeBlock(int64_t pass, feed::PartitionId partition, feed::Rows rows, int version,
                 const std::function<void()>& acknowledged);
  NextBatch Next(int64_t pass, int64_t batch);
  // The program has reported a step, or called commit(), after this many rows. Keeps the report of the step, and
  // returns it; the caller sends it.
  feed::StepReported NoteStep(int64_t pass, int64_t rows, int64_t step);
  void ReportCheckpoint(int64_t step);
  void CallCommit(int64_t pass, int64_t rows);

  const std::optional<Reader>& reader() const { return reader_; }
  // The answer to a program that begins to read. kBatch stands for a pass.
  NextBatch::What Open() const {
    if (failed_) return NextBatch::What::kFailed;
    if (receiver_.ended()) return NextBatch::What::kEndOfPass;
    return reader_ ? NextBatch::What::kBatch : NextBatch::What::kWait;
  }
  void Send(const feed::Event& event);

 private:
  using OfferKey = Reader::OfferKey;
  // The content of a block.
  struct Block {
    feed::PartitionId partition = 0;
    feed::Rows rows;
    int version = 0;
    std::function<void()> acknowledged = {};
  };
  // A batch that was fetched before the program has asked for it.
  struct Prefetched {
    int64_t pass = 0;
    NextBatch batch;
  };

  void Note(const feed::AcceptRows& order);
  void Note(const feed::Reassign& order);
  void Note(const feed::FailFeed&) { failed_ = true; }
  template <typename Order>
  void Note(const Order&) {}
  // Rows that were not kept are gone. Some of the others are on disk.
  void LoseBlocks();

  void Apply(const feed::Receiver::Effects& effects);
  void SendOffer(const feed::RowsReceived& event);
  bool DeliverOffer(const feed::RowsReceived& event);
  void Fetch(const feed::Reassign& move);
  NextBatch FetchBatch(int64_t pass, int64_t batch, bool waiting);

  World& world_;
  SimAm& am_;
  Checker& checker_;
  Owner& owner_;
  const int rank_;
  bool alive_ = true, syncing_ = false, failed_ = false;
  int64_t newest_;  // incarnation
  int64_t connection_ = 0;
  std::optional<Reader> reader_;
  feed::Receiver receiver_;
  std::shared_ptr<ExecutorTail> tail_;
  std::map<feed::BlockId, Block> blocks_;
  feed::BlockId block_ids_ = 0;
  std::optional<Prefetched> prefetched_;
};

}  // namespace howdah::testing::feed_sim
