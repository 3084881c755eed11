// The executor of one rank under simulation: it receives rows, keeps them, and returns them to its reader.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "am.h"
#include "checker.h"
#include "howdah/feed/action.h"
#include "rows.h"
#include "world.h"

namespace howdah::testing::feed_sim {

// The rows that an executor has, in the order in which they arrived, with their versions. The passes share their rows,
// unless the source computes each pass again.
class RowStore {
 public:
  explicit RowStore(bool recompute) : recompute_(recompute) {}
  int64_t TagOf(int64_t pass) const { return recompute_ ? pass : 0; }
  void Keep(int64_t pass, const Row& row) {
    if (versions_.emplace(KeyOf(TagOf(pass), row), row.version).second) rows_.push_back({TagOf(pass), row});
  }
  std::optional<int> VersionOf(int64_t pass, feed::PartitionId partition, int64_t row) const {
    const auto at = versions_.find({TagOf(pass), partition, row});
    return at == versions_.end() ? std::nullopt : std::optional(at->second);
  }
  void DropIf(const std::function<bool()>& drops) {
    std::erase_if(rows_, [&](const auto& kept) {
      const bool dropped = drops();
      if (dropped) versions_.erase(KeyOf(kept.first, kept.second));
      return dropped;
    });
  }
  // With the tags of their passes.
  const std::vector<std::pair<int64_t, Row>>& rows() const { return rows_; }

 private:
  bool recompute_;
  std::vector<std::pair<int64_t, Row>> rows_;
  std::map<RowKey, int> versions_;
};

// One incarnation of the reader: the orders that it has received.
struct Reader {
  struct Placed {
    Row row;
    bool repeat = false;
    int64_t bytes = 0;
  };
  struct PassState {
    std::map<int64_t, Placed> lane;
    std::map<int64_t, int64_t> windows;       // from, to
    std::map<int64_t, feed::Reassign> moves;  // not fetched yet
    std::set<int64_t> moved;
    int64_t sealed = 0, short_to = -1, handed_out = 0, batch = 0;
    int64_t waited_at = -1;  // rows handed out when the reader reported that it waits
    bool kept_offered = false;
    std::optional<feed::ClosePass> closed;
  };
  using BlockKey = std::tuple<int64_t, feed::PartitionId, int64_t, int64_t>;
  struct Block {
    feed::RowsReceived event;
    int version = 0;
    std::function<void()> acknowledged;
    int64_t delivered = -1;  // the connection over which the AM has received it
  };

  feed::ReaderId id;
  std::map<int64_t, PassState> passes = {};
  std::map<BlockKey, Block> unanswered = {};
  int64_t received = 0, granted = 0;
  std::vector<feed::StepReported> steps = {};
  int64_t checkpointed = -1;
  std::optional<feed::CommitCalled> commit = {};

  void Apply(const feed::GrantCredit& order) { granted = std::max(granted, order.bytes); }
  void Apply(const feed::Seal& order);
  void Apply(const feed::ClosePass& order) { passes[order.pass].closed = order; }

  int64_t handed_out(int64_t pass) const;
  // Whether as many rows of the pass are here, placed or not.
  bool Has(int64_t pass, int64_t rows) const;
  int64_t BytesAhead(const Checker& checker) const;
  int64_t BytesUnanswered() const;
  // The row that is handed out after `index` others; nullptr if it is not here.
  const Placed* At(const feed::Options& options, int64_t pass, int64_t index) const;
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
        store_(world.scenario.options.recompute) {}

  // A message from the AM. Messages to a dead executor are lost.
  void Receive(const feed::Action& action);
  // After a lost connection: sends everything again that the AM may not have received.
  void Resync();
  // The number of the connection to the AM. Answers to offers do not arrive after their connection was lost.
  int64_t connection() const { return connection_; }
  void Die() { alive_ = false; }
  // The process of the rank has died. Its reader returns no more rows.
  void StopReader() { reader_.reset(); }
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
  void Send(const feed::Event& event);

 private:
  using PassState = Reader::PassState;
  using BlockKey = Reader::BlockKey;

  void Do(const feed::OpenPass& order);
  void Do(const feed::AcceptRows& order);
  void Do(const feed::Reassign& order);
  void Do(const feed::FailFeed&) { failed_ = true; }
  template <typename Order>
  void Do(const Order& order) {
    if constexpr (requires { reader_->Apply(order); }) {
      if (reader_ && reader_->id == order.reader) reader_->Apply(order);
    }
  }

  // An order of a new incarnation, of any type, ends the older ones.
  void Adopt(const feed::ReaderId& reader);
  void OfferKept(int64_t pass);
  void Offer(int64_t pass, const Row& first, int64_t rows);
  void SendBlock(const BlockKey& key);
  bool DeliverBlock(const BlockKey& key);
  void Fetch(int64_t pass, int64_t at);
  PassState* StateOf(const feed::ReaderId& reader, int64_t pass);

  World& world_;
  SimAm& am_;
  Checker& checker_;
  Owner& owner_;
  const int rank_;
  bool alive_ = true, failed_ = false, syncing_ = false;
  std::optional<Reader> reader_;
  int64_t newest_;  // incarnation
  int64_t connection_ = 0;
  RowStore store_;
};

}  // namespace howdah::testing::feed_sim
