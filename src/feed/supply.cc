#include "supply.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "closing.h"
#include "own_partitions.h"
#include "passes.h"

namespace howdah::feed {
namespace {

bool IsValid(const RowsReceived& event) {
  const Rows& rows = event.rows;
  return event.partition >= 0 && event.partition < kMostPartitions && rows.from >= 0 && rows.from < rows.to &&
         rows.to <= kMostRows && event.bytes >= 0 && event.bytes <= kMostRows;
}

void FailChanged(Context& context, PartitionId partition, const std::string& how) {
  Fail(context, FailFeed::Why::kChanged,
       "partition " + std::to_string(partition) + " of the feed has changed: " + how +
           "; make the source deterministic, or set changed=\"accept\" to take the rows as they come");
}

// Fails the feed if the partition has all rows up to this end, and the attempt that found the end has read other rows.
bool FailIfDifferent(Context& context, PartitionId id, const Partition* partition,
                     const std::optional<PartitionEnd>& end) {
  if (context.options.accept_changes || partition == nullptr || !end || !partition->DiffersFrom(*end)) return false;
  FailChanged(context, id, "an attempt has read other rows than those that were accepted from earlier attempts");
  return true;
}

// The rank that copies rows to this one, in a tree with the rank that received them as its root. So no executor sends
// a row more than twice.
int ParentOf(int rank, int root, int ranks) {
  const int index = (rank - root + ranks) % ranks;
  return ((index - 1) / 2 + root) % ranks;
}

// The rows are at these positions of the common lane: orders copies to the other executors.
void CopyToOthers(Context& context, Pass& pass, int root, const Segment& segment) {
  for (int rank = 0; rank < context.ranks(); ++rank) {
    if (rank == root) continue;
    const Move move{ParentOf(rank, root, context.ranks()), segment};
    pass.moves[{rank, segment.at}] = move;
    context.state.readers[static_cast<size_t>(rank)].received += segment.bytes;
    context.out.push_back(MoveOrder(context, pass, rank, move));
  }
}

// Where the given rows of the reader's lane are, without those that its executor has not fetched yet.
std::vector<AcceptRows::Placed> FindPresent(const Lane& lane, const RowRanges& present, PartitionId partition,
                                            Rows rows) {
  std::vector<AcceptRows::Placed> found;
  for (const AcceptRows::Placed& placed : lane.Find(partition, rows)) {
    for (const Rows& at : present.Common({placed.at, placed.at + placed.rows.count()})) {
      const int64_t first = placed.rows.from + (at.from - placed.at);
      found.push_back({at.from, {first, first + at.count()}});
    }
  }
  return found;
}

void Place(Context& context, Pass& pass, const RowsReceived& event, AcceptRows& answer) {
  const int rank = event.reader.rank;
  Lane& lane = pass.lanes[pass.LaneOf(rank)];
  RowRanges& present = pass.readers[static_cast<size_t>(rank)].present;
  const Segment whole{0, event.partition, event.rows, event.bytes};
  int64_t rows = 0;
  for (const Rows& part : pass.partitions.Accept(event.partition, event.rows, event.digest)) {
    Segment segment = whole.Part(part.from - event.rows.from, part.to - event.rows.from);
    segment.at = lane.Append(segment);
    answer.placed.push_back({segment.at, part});
    present.Add({segment.at, segment.end()});
    context.state.readers[static_cast<size_t>(rank)].received += segment.bytes;
    if (context.options.split == Split::kAll) CopyToOthers(context, pass, rank, segment);
    rows += part.count();
  }
  if (rows == event.rows.count()) return;
  // The event may be a repetition. Rows that were placed here before may have moved in the meantime.
  answer.placed = FindPresent(lane, present, event.partition, event.rows);
  RowRanges kept;
  for (const auto& [to, move] : pass.moves) {
    if (move.from == rank && move.segment.partition == event.partition) kept.Add(move.segment.rows);
  }
  answer.kept = kept.Common(event.rows);
}

// The reader that gets the next rows; -1: none has room. Readers with less than a batch come first, because they hold
// up the others, then the one that is near, and then the one with the fewest rows.
int BestReader(const Context& context, const Pass& pass, int near) {
  int best = -1;
  std::tuple<bool, bool, int64_t> lowest;
  for (int rank = 0; rank < context.ranks(); ++rank) {
    const auto index = static_cast<size_t>(rank);
    if (!context.state.readers[index].has_credit()) continue;
    const PassReader& reader = pass.readers[index];
    const int64_t rows = pass.lanes[pass.LaneOf(rank)].end();
    const bool has_batch = rows - reader.handed_out >= std::max<int64_t>(reader.batch, 1);
    const std::tuple<bool, bool, int64_t> order{has_batch, rank != near, rows};
    if (best >= 0 && order >= lowest) continue;
    best = rank;
    lowest = order;
  }
  return best;
}

std::string Count(int64_t rows) { return std::to_string(rows) + (rows == 1 ? " row" : " rows"); }

}  // namespace

bool TakeRows(Context& context, const RowsReceived& event) {
  if (!context.Knows(event.reader) || !IsValid(event)) return false;
  AcceptRows answer{event.reader, event.pass, event.partition, event.rows, {}, {}};
  Pass* pass = context.over() ? nullptr : context.Find(event.pass);
  bool wanted = pass != nullptr && event.partition < context.state.partitions.value_or(kMostPartitions);
  if (wanted) {
    const Partition* partition = pass->partitions.Find(event.partition);
    if (partition != nullptr && partition->end && event.rows.to > partition->end->rows) {
      if (!context.options.accept_changes) {
        FailChanged(context, event.partition,
                    "it had " + Count(partition->end->rows) + ", and now has at least " + Count(event.rows.to));
      }
      wanted = false;
    }
  }
  if (wanted) {
    Place(context, *pass, event, answer);
    context.state.last_rows = context.state.now;
    const Partition* partition = pass->partitions.Find(event.partition);
    if (partition != nullptr) FailIfDifferent(context, event.partition, partition, partition->end);
  }
  answer.received = context.state.readers[static_cast<size_t>(event.reader.rank)].received;
  context.out.push_back(std::move(answer));
  return wanted || context.over();
}

bool TakeMovedRows(Context& context, const RowsMoved& event) {
  Pass* pass = context.Knows(event.reader) ? context.Find(event.pass) : nullptr;
  if (pass == nullptr) return false;
  const auto move = pass->moves.find({event.reader.rank, event.at});
  if (move == pass->moves.end()) return false;
  const Segment& segment = move->second.segment;
  pass->readers[static_cast<size_t>(event.reader.rank)].present.Add({segment.at, segment.end()});
  pass->moves.erase(move);
  return true;
}

bool NotePartitionEnd(Context& context, const PartitionEnded& event) {
  Pass* pass = context.over() ? nullptr : context.Find(event.pass);
  if (pass == nullptr || event.rows < 0 || event.rows > kMostRows || event.partition < 0 ||
      event.partition >= context.state.partitions.value_or(kMostPartitions)) {
    return false;
  }
  if (pass->partitions.IsCommitted(event.partition)) return false;
  const Partition* partition = pass->partitions.Find(event.partition);
  const PartitionEnd* old = partition != nullptr && partition->end ? &*partition->end : nullptr;
  const int64_t accepted = partition != nullptr ? partition->accepted.end() : 0;
  if (context.options.accept_changes) {
    pass->partitions.StrikeFrom(event.partition, event.rows);
    return true;
  }
  if (accepted > event.rows || (old != nullptr && old->rows != event.rows)) {
    FailChanged(context, event.partition,
                "it had " + (old != nullptr ? Count(old->rows) : "at least " + Count(accepted)) + ", and now has " +
                    Count(event.rows));
    return true;
  }
  if (old != nullptr && old->digest && event.digest && *old->digest != *event.digest) {
    FailChanged(context, event.partition, "two attempts have read different rows");
    return true;
  }
  if (old != nullptr && (old->digest || !event.digest)) return false;
  const PartitionEnd end{event.rows, event.digest};
  // SetEnd forgets the rows of a partition that is committed.
  if (FailIfDifferent(context, event.partition, partition, end)) return true;
  pass->partitions.SetEnd(event.partition, end);
  if (context.options.passes > 1 && !context.options.recompute) context.state.known_ends[event.partition] = end;
  return true;
}

bool NoteSourceEnd(Context& context, const SourceEnded& event) {
  State& state = context.state;
  if (event.partitions < 0 || event.partitions > kMostPartitions || context.over()) return false;
  if (state.partitions == event.partitions) return false;
  PartitionId used = 0;
  for (const auto& [number, pass] : state.round.passes) used = std::max(used, pass.partitions.end());
  if (state.partitions || used > event.partitions) {
    Fail(context, FailFeed::Why::kChanged,
         "the source of the feed has changed: it had " +
             (state.partitions ? std::to_string(*state.partitions) : "at least " + std::to_string(used)) +
             " partitions, and now has " + std::to_string(event.partitions));
    return true;
  }
  state.partitions = event.partitions;
  return true;
}

Answer AnswerSource(const Context& context, int64_t pass_number, PartitionId partition, int near, int reader) {
  const auto& passes = context.state.round.passes;
  if (context.over() || context.state.ended) return {.what = Answer::What::kOver};
  if (partition < 0 || partition >= context.state.partitions.value_or(kMostPartitions)) {
    return {.what = Answer::What::kDone};
  }
  const Pass* pass = context.Find(pass_number);
  if (pass == nullptr) {
    // Ranks that have restarted may be in an earlier pass. Sources that waited to supply a later one must be free for
    // it; the rows of the later pass are requested again when it is opened.
    const bool opens = passes.empty() && pass_number == context.state.committed_pass;
    return {.what = opens ? Answer::What::kWait : Answer::What::kDone};
  }
  std::vector<Rows> missing = pass->partitions.Missing(partition);
  if (pass->closed || missing.empty()) return {.what = Answer::What::kDone};
  if (!pass->requested) return {.what = Answer::What::kWait};
  if (reader >= 0) return AnswerForReader(context, *pass, reader, std::move(missing));
  const int best = BestReader(context, *pass, near);
  if (best < 0) return {.what = Answer::What::kWait};
  return {.what = Answer::What::kSend, .missing = std::move(missing), .rank = best};
}

}  // namespace howdah::feed
