// The records of the event log of a feed: an event with its time, or a snapshot.
//
//   1, time, number of the event's type, its fields
//   2, all fields of the state
//
// The order of the types and fields is a file format (fields.h). Numbers are encoded as in codec.h.
#pragma once

#include <string>
#include <string_view>

#include "howdah/base/result.h"
#include "howdah/feed/event.h"
#include "state.h"

namespace howdah::feed {

struct RecordedStep {
  Event event;
  Instant now;
};

bool IsSnapshot(std::string_view record);
std::string EncodeSnapshot(const State& state);
// The fields of a decoded state may contradict each other; see FirstProblem.
Result<State> DecodeSnapshot(std::string_view record);
Result<RecordedStep> DecodeStep(std::string_view record);

// The first invariant that the state breaks; nullptr if it is consistent.
const char* FirstProblem(const Options& options, const State& state);

}  // namespace howdah::feed
