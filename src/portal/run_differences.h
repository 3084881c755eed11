// The differences between the job files of two runs.
#pragma once

#include "howdah/backend/cluster.h"
#include "json_text.h"

namespace howdah::portal {

// {"id": BEFORE, "differences": [{"name", "before", "after"}]}, as `howdah history diff` computes them. Blocks.
Result<Json> DifferencesFrom(backend::Cluster& cluster, const JobId& before, const JobId& id);

}  // namespace howdah::portal
