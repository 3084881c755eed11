// The rows that a checkpoint covers, for a job that continues the checkpoint of another job. Format:
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

// Takes a point into a ledger that does not cover the step (CoversStep). It has no account of rows yet, because it is
// that of another job, or it has lost the newest records of its log. Returns false if the event is stale, or readers
// have rows after a commit. After true, the caller begins the round again, unless the feed has failed.
bool RestorePoint(Context& context, const PointFound& event);

}  // namespace howdah::feed
