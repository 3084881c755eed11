// The timeline of a job in the trace event format, which Perfetto and Chrome's about:tracing show. Pure.
#pragma once

#include <string>
#include <vector>

#include "attempts.h"
#include "howdah/journal/timeline.h"

namespace howdah::portal {

// One JSON object. Times are microseconds since the first event. The job is the process 1, with its time breakdown and
// marks; each role is a process, and each task a thread of it. A span that goes on ends at `now`.
std::string TraceJson(const AttemptLog& log, const journal::Stretches& stretches, Instant now);

}  // namespace howdah::portal
