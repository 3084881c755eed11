// Finds the jobs of this machine, which are the directories in jobs/.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "howdah/backend/local/layout.h"
#include "howdah/base/ids.h"
#include "howdah/base/result.h"

namespace howdah::backend::local {

// Returns every job that has a journal, by time of submission, newest first.
Result<std::vector<JobId>> JobsNewestFirst(const Layout& layout);

// Resolves "last" or a complete id. A kNotFound error lists similar ids.
Result<JobId> ResolveId(const Layout& layout, const std::string& name);

}  // namespace howdah::backend::local
