#include "record.h"

#include <cstddef>
#include <type_traits>
#include <utility>
#include <variant>

#include "codec.h"
#include "howdah/feed/ledger.h"

namespace howdah::feed {
namespace {

enum class Kind { kStep = 1, kSnapshot = 2 };

template <typename Codec, typename E>
void CodeEvent(Codec& codec, E& e) {
  using T = std::remove_const_t<E>;
  if constexpr (requires { e.reader; }) codec(e.reader);
  if constexpr (std::is_same_v<T, GenerationFormed>) codec(e.generation, e.ranks);
  if constexpr (std::is_same_v<T, RankLost>) codec(e.returns);
  if constexpr (std::is_same_v<T, RankStarted> || std::is_same_v<T, ReaderSynced>) codec(e.rank);
  if constexpr (std::is_same_v<T, CheckpointFound>) codec(e.generation, e.step);
  if constexpr (std::is_same_v<T, ReaderOpened>) codec(e.pass, e.batch);
  if constexpr (std::is_same_v<T, KeptRowsOffered>) codec(e.pass);
  if constexpr (std::is_same_v<T, RowsReceived>) codec(e.pass, e.partition, e.rows, e.bytes, e.digest);
  if constexpr (std::is_same_v<T, RowsMoved>) codec(e.pass, e.at);
  if constexpr (std::is_same_v<T, RowsHandedOut>) codec(e.pass, e.rows, e.waiting);
  if constexpr (std::is_same_v<T, StepReported>) codec(e.pass, e.rows, e.step);
  if constexpr (std::is_same_v<T, CheckpointReported>) codec(e.step);
  if constexpr (std::is_same_v<T, CommitCalled>) codec(e.pass, e.rows, e.call);
  if constexpr (std::is_same_v<T, PartitionEnded>) codec(e.pass, e.partition, e.rows, e.digest);
  if constexpr (std::is_same_v<T, SourceEnded>) codec(e.partitions);
  if constexpr (std::is_same_v<T, SourceLost>) codec(e.name);
}

// Decodes the event whose type has this number.
template <size_t kType = 0>
bool DecodeEvent(Decoder& codec, size_t type, Event& event) {
  if constexpr (kType < std::variant_size_v<Event>) {
    if (type != kType) return DecodeEvent<kType + 1>(codec, type, event);
    CodeEvent(codec, event.emplace<kType>());
    return true;
  } else {
    return false;
  }
}

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
  std::visit([&codec](const auto& e) { CodeEvent(codec, e); }, event);
  return codec.Take();
}

Result<RecordedStep> DecodeStep(std::string_view record) {
  Decoder codec(record);
  Kind kind{};
  size_t type = 0;
  RecordedStep step;
  codec(kind, step.now, type);
  const bool known = codec.ok() && kind == Kind::kStep && DecodeEvent(codec, type, step.event);
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
