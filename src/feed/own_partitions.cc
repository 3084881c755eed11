#include "own_partitions.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace howdah::feed {
namespace {

// The share of the rows by which the longest lane leads that the shortest one gets at a time.
constexpr int64_t kShare = 4;

// Whether one of these partitions is for the reader.
bool HasPartition(const std::vector<Rows>& partitions, int reader, int ranks) {
  return std::any_of(partitions.begin(), partitions.end(), [&](const Rows& range) {
    const int64_t behind = (range.from - reader) % ranks;  // how far the start is behind a partition of the reader
    const int64_t first = behind == 0 ? range.from : range.from + (behind > 0 ? ranks - behind : -behind);
    return first < range.to;
  });
}

// Whether the reader may still return rows, of this pass or of an earlier one: a program that waits in a pass has left
// the earlier ones.
bool MayReadOn(const PassReader& reader) {
  return !reader.waiting || reader.sealed - reader.handed_out >= std::max<int64_t>(reader.batch, 1);
}

// The reader that gets rows of a partition of `from`; nullopt if none does.
std::optional<int> FindReceiver(const Context& context, const Pass& pass, int from) {
  const auto& count = context.state.partitions;
  if (context.options.split != Split::kEqual || !count) return std::nullopt;
  int to = 0;
  for (int rank = 1; rank < context.ranks(); ++rank) {
    if (pass.lanes[static_cast<size_t>(rank)].end() < pass.lanes[static_cast<size_t>(to)].end()) to = rank;
  }
  if (to == from || !context.state.readers[static_cast<size_t>(to)].has_credit()) return std::nullopt;
  if (std::any_of(pass.readers.begin(), pass.readers.end(), MayReadOn)) return std::nullopt;
  const std::vector<Rows> incomplete = pass.partitions.Incomplete(*count);
  if (HasPartition(incomplete, to, context.ranks())) return std::nullopt;
  int donor = -1;
  for (int rank = 0; rank < context.ranks(); ++rank) {
    if (!HasPartition(incomplete, rank, context.ranks())) continue;
    if (context.state.readers[static_cast<size_t>(rank)].has_credit()) return std::nullopt;
    const auto rows = [&pass](int of) { return pass.lanes[static_cast<size_t>(of)].end(); };
    if (donor < 0 || rows(rank) > rows(donor)) donor = rank;
  }
  return donor == from ? std::optional(to) : std::nullopt;
}

}  // namespace

Answer AnswerForReader(const Context& context, const Pass& pass, int reader, std::vector<Rows> missing) {
  if (reader >= context.ranks()) return {.what = Answer::What::kWait};
  if (context.state.readers[static_cast<size_t>(reader)].has_credit()) {
    return {.what = Answer::What::kSend, .missing = std::move(missing), .rank = reader};
  }
  const auto to = FindReceiver(context, pass, reader);
  if (!to) return {.what = Answer::What::kWait};
  const int64_t lead = pass.lanes[static_cast<size_t>(reader)].end() - pass.lanes[static_cast<size_t>(*to)].end();
  return {.what = Answer::What::kSend,
          .missing = std::move(missing),
          .rank = *to,
          .limit = std::max<int64_t>(lead / kShare, 1)};
}

}  // namespace howdah::feed
