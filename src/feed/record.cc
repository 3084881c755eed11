#include "record.h"

#include <cstddef>
#include <utility>
#include <variant>

#include "codec.h"
#include "fields.h"
#include "howdah/feed/ledger.h"

namespace howdah::feed {
namespace {

enum class Kind { kStep = 1, kSnapshot = 2 };

const char* ProblemOf(const Options& options, size_t ranks, int64_t number, const Pass& pass) {
  const size_t lanes = options.split == Split::kAll ? 1 : ranks;
  if (pass.number != number || pass.readers.size() != ranks || pass.lanes.size() != lanes) return "ranks of a pass";
  if (pass.heads.size() != lanes) return "first rows of a pass";
  if (pass.settled.size() != (options.split == Split::kDynamic ? ranks : 1)) return "settled rows of a pass";
  if (!pass.partitions.valid()) return "partitions of a pass";
  for (const Lane& lane : pass.lanes) {
    if (!lane.valid()) return "positions of a lane";
  }
  for (size_t rank = 0; rank < ranks; ++rank) {
    const PassReader& reader = pass.readers[rank];
    const Lane& lane = pass.lanes[pass.LaneOf(static_cast<int>(rank))];
    if (reader.batch < 0 || reader.batch > kMostRows || !reader.present.valid()) return "batches of a reader";
    if (reader.handed_out < 0 || reader.handed_out > reader.sealed) return "rows handed out before they were sealed";
    if (reader.committed < 0 || reader.committed > reader.handed_out) return "rows committed before they were read";
    if (reader.sealed > lane.end() || reader.present.end() > lane.end()) return "sealed rows that no lane has";
    if (reader.sealed > lane.base() && reader.sealed > reader.present.prefix()) return "sealed rows that are not there";
    if (options.split != Split::kDynamic && reader.sealed != pass.readers.front().sealed) return "unequal seals";
    if (lane.base() > reader.handed_out) return "rows settled before they were read";
  }
  for (const auto& [key, move] : pass.moves) {
    if (key.first < 0 || key.first >= static_cast<int>(ranks)) return "a move to an unknown rank";
    if (move.segment.at != key.second || move.segment.rows.count() <= 0) return "a move without rows";
  }
  for (const auto& group : pass.settled) {
    for (const auto& [partition, rows] : group) {
      if (!rows.valid()) return "settled rows";
    }
  }
  for (const auto& head : pass.heads) {
    for (const Segment& segment : head) {
      if (segment.rows.count() <= 0 || segment.bytes < 0 || segment.at < 0 || segment.at > kMostPositions) {
        return "first rows without rows";
      }
    }
  }
  return nullptr;
}

const char* ProblemOf(const Options& options, size_t ranks, const Round& round) {
  const size_t groups = ranks == 0 ? 0 : options.split == Split::kDynamic ? ranks : 1;
  if (round.steps.size() != groups || round.calls.size() != groups) return "marks of readers";
  for (const auto* all : {&round.steps, &round.calls}) {
    for (const Marks& marks : *all) {
      if (!marks.valid()) return "order of marks";
    }
  }
  for (const auto& [number, pass] : round.passes) {
    if (const char* problem = ProblemOf(options, ranks, number, pass)) return problem;
  }
  return nullptr;
}

}  // namespace

bool IsSnapshot(std::string_view record) {
  Decoder codec(record);
  Kind kind{};
  codec(kind);
  return kind == Kind::kSnapshot;
}

std::string EncodeSnapshot(const State& state) {
  Encoder codec;
  codec(Kind::kSnapshot, state);
  return codec.Take();
}

Result<State> DecodeSnapshot(std::string_view record) {
  Decoder codec(record);
  Kind kind{};
  State state;
  codec(kind, state);
  if (!codec.complete() || kind != Kind::kSnapshot) return Failed("the snapshot of a feed is damaged");
  return state;
}

std::string EncodeRecord(const Event& event, Instant now) {
  Encoder codec;
  codec(Kind::kStep, now, event.index());
  std::visit([&codec](const auto& e) { CodeFields(codec, e); }, event);
  return codec.Take();
}

Result<RecordedStep> DecodeStep(std::string_view record) {
  Decoder codec(record);
  Kind kind{};
  size_t type = 0;
  RecordedStep step;
  codec(kind, step.now, type);
  const bool known = codec.ok() && kind == Kind::kStep && DecodeFields(codec, type, step.event);
  if (!known || !codec.complete()) return Failed("a record of the event log of a feed is damaged");
  return step;
}

const char* FirstProblem(const Options& options, const State& state) {
  const size_t ranks = state.readers.size();
  if (ranks > static_cast<size_t>(kMostRanks)) return "number of ranks";
  if (state.partitions && (*state.partitions < 0 || *state.partitions > kMostPartitions)) return "number of partitions";
  for (const auto& [pass, partitions] : state.later) {
    if (!partitions.valid()) return "partitions of a later pass";
  }
  for (const Reader& reader : state.readers) {
    if (reader.received < 0 || reader.received > kMostPositions || reader.granted > kMostPositions) return "credit";
  }
  if (state.previous) {
    const auto& passes = state.previous->passes;
    const size_t old_ranks = passes.empty() ? state.previous->steps.size() : passes.begin()->second.readers.size();
    if (const char* problem = ProblemOf(options, old_ranks, *state.previous)) return problem;
  }
  return ProblemOf(options, ranks, state.round);
}

}  // namespace howdah::feed
