// The metrics of a job as JSON. Pure.
#pragma once

#include <string>

#include "howdah/backend/job_metrics.h"

namespace howdah::client {

// One object, as `howdah history metrics --json` prints it (docs/metrics.md).
std::string MetricsJson(const backend::JobMetrics& answer);

// The shortest text from which the number can be read again; "NaN", "Infinity" or "-Infinity".
std::string NumberText(float value);

}  // namespace howdah::client
