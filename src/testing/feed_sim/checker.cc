#include "checker.h"

#include <algorithm>
#include <variant>

namespace howdah::testing::feed_sim {
namespace {

using feed::Remainder;
using feed::Split;

std::string Text(const RowKey& key) {
  const auto& [pass, partition, row] = key;
  return "row " + std::to_string(row) + " of partition " + std::to_string(partition) + " in pass " +
         std::to_string(pass);
}

}  // namespace

void Checker::NewGeneration(int ranks) {
  ranks_ = ranks;
  read_.clear();
}

void Checker::ReaderLost(int rank) { read_.erase(rank); }

void Checker::HandedOut(const feed::ReaderId& reader, int64_t pass, const std::vector<ReadRow>& rows) {
  std::vector<ReadRow>& returned = returned_[{reader.rank, reader.incarnation}][pass];
  for (const ReadRow& read : rows) {
    returned.push_back(read);
    const RowKey key = KeyOf(pass, read.row);
    if (read.repeat) continue;
    if (committed_.contains(key) && world_.scenario.options.split != Split::kAll) {
      world_.Violate("A committed row is not read again", Text(key) + " by rank " + std::to_string(reader.rank));
    }
    bool twice = !read_[reader.rank].insert(key).second;
    if (world_.scenario.options.split != Split::kAll) {
      for (const auto& [rank, read_rows] : read_) twice = twice || (rank != reader.rank && read_rows.contains(key));
    }
    if (twice) world_.Violate("Each row is read once since the commit", Text(key) + " twice");
    const auto [version, added] = versions_.try_emplace({pass, read.row.partition, 0}, read.row.version);
    mixed_ = mixed_ || (!added && version->second != read.row.version);
  }
}

void Checker::ForgetFrom(int64_t record) {
  std::erase_if(committed_, [record](const auto& row) { return row.second >= record; });
}

void Checker::Ordered(const feed::Action& action, int64_t record) {
  record_ = record;
  std::visit([this](const auto& a) { Check(a); }, action);
}

void Checker::Check(const feed::Committed& committed) {
  const auto& returned = returned_[{committed.reader.rank, committed.reader.incarnation}][committed.pass];
  if (committed.rows > static_cast<int64_t>(returned.size())) {
    world_.Violate("Only rows that were handed out are committed",
                   std::to_string(committed.rows) + " of " + std::to_string(returned.size()) + " rows of rank " +
                       std::to_string(committed.reader.rank));
    return;
  }
  for (int64_t i = 0; i < committed.rows; ++i) {
    const ReadRow& read = returned[static_cast<size_t>(i)];
    if (!read.repeat) committed_.try_emplace(KeyOf(committed.pass, read.row), record_);
  }
}

void Checker::Check(const feed::ClosePass& close) {
  const Scenario& scenario = world_.scenario;
  const int64_t ranks = scenario.options.split == Split::kAll ? 1 : ranks_;
  int64_t most = 0;
  if (scenario.options.remainder == Remainder::kDrop) most = ranks * scenario.batch - 1;
  if (scenario.options.remainder == Remainder::kShort && scenario.options.split == Split::kEqual) most = ranks - 1;
  if (close.left_out > most) {
    world_.Violate("A pass leaves out less than the remainder rule allows",
                   std::to_string(close.left_out) + " rows, and " + std::to_string(most) + " are allowed");
  }
  // A rank whose batch was filled up may get rows of a lost rank, and then needs to be filled up again.
  const bool many = close.repeated >= ranks * scenario.batch && !scenario.options.ranks_restart_alone;
  if (many || (close.repeated > 0 && scenario.options.remainder != Remainder::kRepeat)) {
    world_.Violate("A pass repeats less than one batch of each rank", std::to_string(close.repeated) + " rows");
  }
  if (close.left_out > 0) world_.Reach(Situation::kDropped);
  if (close.repeated > 0) world_.Reach(Situation::kRepeated);
  if (close.empty) world_.Reach(Situation::kEmptyPass);
  closed_[close.pass] = close;
  rows_of_[{close.reader.rank, close.reader.incarnation}][close.pass] = close.rows;
}

std::optional<int64_t> Checker::RowsOf(const feed::ReaderId& reader, int64_t pass) const {
  const auto passes = rows_of_.find({reader.rank, reader.incarnation});
  if (passes == rows_of_.end()) return std::nullopt;
  const auto rows = passes->second.find(pass);
  return rows == passes->second.end() ? std::nullopt : std::optional(rows->second);
}

void Checker::Check(const feed::FailFeed& fail) {
  using Why = feed::FailFeed::Why;
  const Scenario& scenario = world_.scenario;
  const bool expected = (fail.why == Why::kMisuse && (scenario.batches_differ || scenario.faults.restarts_alone > 0)) ||
                        (fail.why == Why::kChanged && scenario.changes && !scenario.options.accept_changes) ||
                        (fail.why == Why::kLost && scenario.source_end != SourceEnd::kNone);
  if (!expected) world_.Violate("A feed fails only for a reason", fail.message);
  if (fail.why == Why::kMisuse && scenario.batches_differ) world_.Reach(Situation::kBatchesDiffer);
  if (fail.why == Why::kChanged) world_.Reach(Situation::kChangeFound);
  if (fail.why == Why::kLost) CheckLost(fail.message);
}

// The message names the source, and its state.
void Checker::CheckLost(const std::string& message) {
  const std::map<SourceEnd, std::pair<std::string, Situation>> ends = {
      {SourceEnd::kGone, {"is gone: the source", Situation::kSourceGone}},
      {SourceEnd::kSilent, {"the source is connected", Situation::kSourceSilent}},
      {SourceEnd::kNever, {"nobody has supplied rows", Situation::kNeverSupplied}}};
  const auto end = ends.find(world_.scenario.source_end);
  if (end == ends.end()) return;
  world_.Reach(end->second.second);
  if (message.find(end->second.first) == std::string::npos) {
    world_.Violate("A feed that fails for lack of rows names its source", message);
  }
}

void Checker::CheckEnd(const Trained& trained, bool exact) {
  const Scenario& scenario = world_.scenario;
  if (scenario.changes) return;  // rows are then counted by position alone
  std::map<int64_t, int64_t> missing;
  for (int64_t pass = 0; pass < scenario.options.passes; ++pass) {
    if (!closed_.contains(pass)) return world_.Violate("Every pass is closed", "pass " + std::to_string(pass));
    for (size_t partition = 0; partition < scenario.rows.size(); ++partition) {
      for (int64_t row = 0; row < scenario.rows[partition]; ++row) {
        const RowKey key{pass, static_cast<feed::PartitionId>(partition), row};
        const auto found = trained.find(key);
        if (found == trained.end()) ++missing[pass];
        if (exact && found != trained.end() && found->second > 1) {
          return world_.Violate("Each row is in the model once",
                                Text(key) + " " + std::to_string(found->second) + " times");
        }
      }
    }
    const int64_t left_out = closed_[pass].left_out;
    if (missing[pass] > left_out || (exact && missing[pass] != left_out)) {
      world_.Violate("Each row that is not left out is in the model",
                     std::to_string(missing[pass]) + " rows are missing in pass " + std::to_string(pass) + ", and " +
                         std::to_string(left_out) + " were left out");
    }
  }
}

}  // namespace howdah::testing::feed_sim
