// The fields of events, actions and answers, listed once for records (record.h) and messages (messages.h). The order of
// the types and fields is a file format: new ones are appended.
#pragma once

#include <cstddef>
#include <type_traits>
#include <variant>

#include "howdah/feed/action.h"
#include "howdah/feed/event.h"
#include "howdah/feed/ledger.h"

namespace howdah::feed {

template <typename Codec, typename E>
requires std::is_constructible_v<Event, E>
void CodeFields(Codec& codec, E& e) {
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
  if constexpr (std::is_same_v<T, SourceConnected> || std::is_same_v<T, SourceLost>) codec(e.name);
  if constexpr (std::is_same_v<T, SourceFailed>) codec(e.message, e.changed);
  if constexpr (std::is_same_v<T, PointFound>) codec(e.generation, e.step, e.point);
}

template <typename Codec, typename A>
requires std::is_constructible_v<Action, A>
void CodeFields(Codec& codec, A& a) {
  using T = std::remove_const_t<A>;
  if constexpr (std::is_same_v<T, OpenPass>) codec(a.reader, a.pass);
  if constexpr (std::is_same_v<T, AcceptRows>)
    codec(a.reader, a.pass, a.partition, a.offered, a.placed, a.kept, a.received);
  if constexpr (std::is_same_v<T, GrantCredit>) codec(a.reader, a.bytes);
  if constexpr (std::is_same_v<T, Seal>) codec(a.reader, a.pass, a.from, a.rows, a.short_batch);
  if constexpr (std::is_same_v<T, Reassign>)
    codec(a.reader, a.pass, a.from, a.at, a.partition, a.rows, a.received, a.repeat);
  if constexpr (std::is_same_v<T, ClosePass>) codec(a);
  if constexpr (std::is_same_v<T, Committed>) codec(a.reader, a.pass, a.rows);
  if constexpr (std::is_same_v<T, RequestRows>) codec(a.pass, a.partitions);
  if constexpr (std::is_same_v<T, FailFeed>) codec(a.why, a.message, a.before);
}

template <typename Codec, typename A>
requires std::is_same_v<std::remove_const_t<A>, Answer>
void CodeFields(Codec& codec, A& a) { codec(a.what, a.missing, a.rank, a.limit); }

// Decodes the fields of the type with this number. Returns false if the variant has no such type.
template <size_t kType = 0, typename Codec, typename Variant>
bool DecodeFields(Codec& codec, size_t type, Variant& value) {
  if constexpr (kType < std::variant_size_v<Variant>) {
    if (type != kType) return DecodeFields<kType + 1>(codec, type, value);
    CodeFields(codec, value.template emplace<kType>());
    return true;
  } else {
    return false;
  }
}

}  // namespace howdah::feed
