// Which jobs this machine has: the directories in jobs/.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "howdah/backend/local/layout.h"
#include "howdah/base/ids.h"
#include "howdah/base/result.h"

namespace howdah::backend::local {

// Every job that has a journal, newest first by time of submission.
Result<std::vector<JobId>> NewestFirst(const Layout& layout);

// The job that is meant by "last" or by a whole id. kNotFound names what is near.
Result<JobId> ResolveId(const Layout& layout, const std::string& name);

}  // namespace howdah::backend::local
