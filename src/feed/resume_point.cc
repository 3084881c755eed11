#include "resume_point.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "codec.h"
#include "commits.h"
#include "howdah/feed/ledger.h"
#include "passes.h"

namespace howdah::feed {
namespace {

constexpr int kFormat = 1;

struct Point {
  int64_t pass = 0;                          // the first pass of which some rows are not committed
  std::map<int64_t, Partitions> passes;      // committed rows of this pass and of later ones
  std::optional<int64_t> partitions;         // as in State
  std::map<PartitionId, PartitionEnd> ends;  // as State::known_ends

  template <typename Codec, typename Self>
  static void Fields(Codec& codec, Self& self) {
    codec(self.pass, self.passes, self.partitions, self.ends);
  }
};

// nullopt: the bytes are damaged.
std::optional<Point> Decode(std::string_view bytes) {
  Decoder codec(bytes);
  int format = 0;
  Point point;
  codec(format, point);
  if (!codec.complete() || format != kFormat || point.pass < 0 || point.pass > kMostPartitions) return std::nullopt;
  if (point.partitions && (*point.partitions < 0 || *point.partitions > kMostPartitions)) return std::nullopt;
  for (auto& [number, partitions] : point.passes) {
    if (number < point.pass || !partitions.valid() || partitions.end() > kMostPartitions) return std::nullopt;
    partitions.RollBack();
  }
  for (const auto& [partition, end] : point.ends) {
    if (partition < 0 || partition >= kMostPartitions || end.rows < 0 || end.rows > kMostRows) return std::nullopt;
  }
  return point;
}

bool HasCommitted(const State& state) {
  return state.committed_pass > 0 || !state.later.empty() ||
         std::any_of(state.round.passes.begin(), state.round.passes.end(),
                     [](const auto& pass) { return !pass.second.partitions.nothing_committed(); });
}

bool HasHandedOut(const State& state) {
  for (const auto& [number, pass] : state.round.passes) {
    for (const PassReader& reader : pass.readers) {
      if (reader.handed_out > 0) return true;
    }
  }
  return false;
}

// Whether this job's source has reported other partitions before the point arrived.
bool SourceDiffers(const State& state, const Point& point) {
  if (state.partitions && point.partitions && *state.partitions != *point.partitions) return true;
  return std::any_of(point.ends.begin(), point.ends.end(), [&state](const auto& end) {
    const auto known = state.known_ends.find(end.first);
    return known != state.known_ends.end() && known->second.rows != end.second.rows;
  });
}

}  // namespace

std::string PointAt(const Options& options, State state, int64_t step) {
  std::vector<Action> none;
  Context context{options, state, none};
  CommitStep(context, step);
  Point point{.pass = state.committed_pass,
              .passes = std::move(state.later),
              .partitions = state.partitions,
              .ends = std::move(state.known_ends)};
  for (auto& [number, pass] : state.round.passes) {
    if (number < point.pass || pass.partitions.nothing_committed()) continue;
    pass.partitions.RollBack();
    point.passes[number] = std::move(pass.partitions);
  }
  Encoder codec;
  codec(kFormat, point);
  return codec.Take();
}

bool RestorePoint(Context& context, const PointFound& event) {
  State& state = context.state;
  if (event.generation != state.generation || context.over()) return false;
  // The others go on while a rank restarts alone, and may have read rows after the point, and before it.
  const bool alone = context.options.ranks_restart_alone;
  if (alone ? HasCommitted(state) || HasHandedOut(state) : HasCommitted(state) && HasHandedOut(state)) return false;
  const std::string where = "in the checkpoint of step " + std::to_string(event.step);
  auto point = Decode(event.point);
  if (!point) {
    Fail(context, FailFeed::Why::kMisuse,
         "the position of the feed " + where + " is damaged; restore another checkpoint, or begin without one");
  } else if (HasHandedOut(state)) {
    Fail(context, FailFeed::Why::kMisuse,
         "a rank has restored the position of the feed " + where +
             " after another rank had read rows; all ranks must restore the checkpoint before they read a row");
  } else if (SourceDiffers(state, *point)) {
    Fail(context, FailFeed::Why::kChanged,
         "the source of the feed has other partitions than the one whose position is " + where +
             "; continue with the same source, or begin without the checkpoint");
  } else {
    state.known_step = event.step;
    state.previous.reset();
    state.round.passes.clear();
    state.committed_pass = point->pass;
    state.later = std::move(point->passes);
    if (point->partitions) state.partitions = point->partitions;
    state.known_ends.merge(point->ends);
  }
  return true;
}

}  // namespace howdah::feed
