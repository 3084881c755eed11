// The jobs of this machine: the directories in jobs/.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "howdah/backend/local/layout.h"
#include "howdah/base/ids.h"
#include "howdah/base/result.h"

namespace howdah::backend::local {

// Every job that has a journal, by time of submission, newest first.
Result<std::vector<JobId>> JobsNewestFirst(const Layout& layout);

// Resolves "last" or a complete id. kNotFound: names similar ids.
Result<JobId> ResolveId(const Layout& layout, const std::string& name);

}  // namespace howdah::backend::local
