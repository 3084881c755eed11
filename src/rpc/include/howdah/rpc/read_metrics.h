// Reads the metrics of a running job from its AM.
#pragma once

#include "howdah/base/result.h"
#include "howdah/base/time.h"
#include "howdah/metrics/table.h"
#include "howdah/rpc/identity.h"

namespace howdah::rpc {

// Returns the metrics that the AM has now. Blocks at most for `limit`. Thread-safe. kUnavailable: the AM could not be
// reached, has exited, or the connection broke. kTimeout: the AM did not answer in time. kFailed: the AM refused the
// call, for example because its version has no metrics. The message has the reason.
Result<metrics::Table> ReadMetrics(const AmContact& am, const metrics::Query& query, Duration limit);

}  // namespace howdah::rpc
