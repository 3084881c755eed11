// The rows that a checkpoint covers, as a text in the checkpoint: for another job, and for a ledger that has no mark of
// its step. Format:
//
//   1, pass, passes, partitions, ends
//
// Numbers are encoded as in codec.h. The numbers of ranks and the options of both jobs may differ; their sources must
// be the same.
#pragma once

#include <cstdint>
#include <string>

#include "howdah/feed/event.h"
#include "state.h"

namespace howdah::feed {

// The rows that are committed when the checkpoint of the step is complete. If no mark of this step or an earlier one
// is known, these are the rows that are committed already.
std::string PointAt(const Options& options, State state, int64_t step);

// Takes a point into a ledger that does not cover the step (CoversStep): another job has written the checkpoint, or
// this ledger has no mark of the step. Returns false, without an effect, if the event is of another generation, if the
// feed is over, or if rows are committed and either readers have rows of this generation or ranks restart alone. After
// true, the caller begins the round again, unless the feed has failed.
bool RestorePoint(Context& context, const PointFound& event);

}  // namespace howdah::feed
