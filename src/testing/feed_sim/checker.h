// The rules that the ledger must keep, tested against what readers really return.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "howdah/feed/ledger.h"
#include "rows.h"
#include "world.h"

namespace howdah::testing::feed_sim {

// A row of one pass, whatever its content.
using RowKey = std::tuple<int64_t, feed::PartitionId, int64_t>;
inline RowKey KeyOf(int64_t pass, const Row& row) { return {pass, row.partition, row.number}; }

// How often the training has used each row.
using Trained = std::map<RowKey, int>;

struct ReadRow {
  Row row;
  bool repeat = false;
};

class Checker {
 public:
  explicit Checker(World& world) : world_(world) {}

  // All readers start again, or one of them.
  void NewGeneration(int ranks);
  void ReaderLost(int rank);
  void HandedOut(const feed::ReaderId& reader, int64_t pass, const std::vector<ReadRow>& rows);
  // record: the number of the record of the log from which the order follows.
  void Ordered(const feed::Action& action, int64_t record = 0);
  // The AM has lost the records from this number on. No executor has received an order that follows from them.
  void ForgetFrom(int64_t record);
  // The newest end of each pass.
  using Closed = std::map<int64_t, feed::ClosePass>;
  const Closed& closed() const { return closed_; }
  // The model is one of an earlier generation, for which passes had these ends, unless readers from this incarnation on
  // have got newer ones. Rows that were committed since, and are not in the model, are read again.
  void SetModel(const Trained& trained, const Closed& closed, int64_t incarnation) {
    for (const auto& [pass, close] : closed) {
      const auto known = closed_.find(pass);
      if (known == closed_.end() || known->second.reader.incarnation < incarnation) closed_[pass] = close;
    }
    std::erase_if(committed_, [&trained](const auto& row) { return !trained.contains(row.first); });
  }
  // The rows of the pass that the reader returns, once the pass is closed.
  std::optional<int64_t> RowsOf(const feed::ReaderId& reader, int64_t pass) const;

  // The training has read all passes. exact: each row exactly once; otherwise at least once.
  void CheckEnd(const Trained& trained, bool exact);
  // The versions of rows that were read, by partition.
  bool MixedVersions() const { return mixed_; }

 private:
  void Check(const feed::Committed& committed);
  void Check(const feed::ClosePass& close);
  void Check(const feed::FailFeed& fail);
  void CheckLost(const std::string& message);
  template <typename Other>
  void Check(const Other&) {}

  World& world_;
  int ranks_ = 0;
  // By rank and incarnation: the rows of each pass in the order in which they were handed out.
  std::map<std::pair<int, int64_t>, std::map<int64_t, std::vector<ReadRow>>> returned_;
  std::map<RowKey, int64_t> committed_;  // with the number of the record
  // By rank: rows handed out by incarnations that still count. With split `all` each rank has its own, else all share
  // the rows.
  std::map<int, std::set<RowKey>> read_;
  Closed closed_;
  std::map<std::pair<int, int64_t>, std::map<int64_t, int64_t>> rows_of_;  // by rank and incarnation, and pass
  std::map<RowKey, int> versions_;
  bool mixed_ = false;
  int64_t record_ = 0;  // of the order that is checked
};

}  // namespace howdah::testing::feed_sim
