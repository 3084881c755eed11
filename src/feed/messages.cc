#include "howdah/feed/messages.h"

#include <cstddef>
#include <string>
#include <variant>

#include "codec.h"
#include "fields.h"
#include "lane.h"

namespace howdah::feed {
namespace {

bool IsRank(int64_t rank) { return rank >= 0 && rank < kMostRanks; }
bool IsCount(int64_t number) { return number >= 0 && number <= kMostPositions; }

// Whether every number of an event, an action, an answer or a part of them is in its range. Fields of one name have one
// range. The decoder checks ranges of rows.
template <typename T>
bool InRange(const T& value) {
  bool good = true;
  if constexpr (requires { value.reader; }) good = good && IsRank(value.reader.rank);
  if constexpr (requires { value.rank; }) good = good && IsRank(value.rank);
  if constexpr (requires { value.ranks; }) good = good && value.ranks >= 1 && value.ranks <= kMostRanks;
  if constexpr (requires { value.from; }) good = good && value.from >= 0;
  if constexpr (requires { value.pass; }) good = good && value.pass >= 0 && value.pass <= kMostPartitions;
  if constexpr (requires { value.partition; }) good = good && value.partition >= 0 && value.partition < kMostPartitions;
  if constexpr (requires { IsCount(value.rows); }) good = good && IsCount(value.rows);
  if constexpr (requires { IsCount(value.partitions); })
    good = good && value.partitions >= 0 && value.partitions <= kMostPartitions;
  if constexpr (requires { value.batch; }) good = good && IsCount(value.batch);
  if constexpr (requires { value.at; }) good = good && IsCount(value.at);
  if constexpr (requires { value.bytes; }) good = good && IsCount(value.bytes);
  if constexpr (requires { value.received; }) good = good && IsCount(value.received);
  if constexpr (requires { value.limit; }) good = good && IsCount(value.limit);
  if constexpr (requires { value.call; }) good = good && value.call >= 0;
  if constexpr (requires { value.left_out; }) good = good && value.left_out >= 0 && value.repeated >= 0;
  if constexpr (requires { value.placed; }) {
    for (const AcceptRows::Placed& placed : value.placed) good = good && InRange(placed);
  }
  if constexpr (requires { value.why; })
    good = good && value.why >= FailFeed::Why{} && value.why <= FailFeed::Why::kFailed && value.before >= 0;
  if constexpr (requires { value.what; })
    good = good && value.what >= Answer::What{} && value.what <= Answer::What::kOver;
  return good;
}

template <typename Variant>
std::string EncodeVariant(const Variant& value) {
  Encoder codec;
  codec(value.index());
  std::visit([&codec](const auto& one) { CodeFields(codec, one); }, value);
  return codec.Take();
}

template <typename Variant>
Result<Variant> DecodeVariant(std::string_view bytes, const char* name) {
  Decoder codec(bytes);
  size_t type = 0;
  Variant value;
  codec(type);
  if (!codec.ok() || !DecodeFields(codec, type, value) || !codec.complete()) {
    return Failed(std::string("the message with ") + name + " of a feed is damaged");
  }
  if (!std::visit([](const auto& one) { return InRange(one); }, value)) {
    return Failed(std::string("the message with ") + name + " of a feed has a number that is outside of its range");
  }
  return value;
}

}  // namespace

std::string EncodeEvent(const Event& event) { return EncodeVariant(event); }
Result<Event> DecodeEvent(std::string_view bytes) { return DecodeVariant<Event>(bytes, "an event"); }

std::string EncodeAction(const Action& action) { return EncodeVariant(action); }
Result<Action> DecodeAction(std::string_view bytes) { return DecodeVariant<Action>(bytes, "an action"); }

std::string EncodeAnswer(const Answer& answer) {
  Encoder codec;
  CodeFields(codec, answer);
  return codec.Take();
}

Result<Answer> DecodeAnswer(std::string_view bytes) {
  Decoder codec(bytes);
  Answer answer;
  CodeFields(codec, answer);
  if (!codec.complete() || !InRange(answer)) return Failed("the answer of a feed to a source is damaged");
  return answer;
}

}  // namespace howdah::feed
