// The metrics of a job as JSON. Pure.
#pragma once

#include <string>

#include "howdah/backend/job_metrics.h"

namespace howdah::client {

// Formats one object, as docs/metrics.md describes it.
std::string MetricsJson(const backend::JobMetrics& answer);

// Returns the shortest text that is converted back to the same number, or "NaN", "Infinity" or "-Infinity".
std::string NumberText(float value);

}  // namespace howdah::client
