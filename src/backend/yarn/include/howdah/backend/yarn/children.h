// The applications that the tasks of a job have started with the tag HOWDAH_CHILD_TAG (howdah/core/child_tag.h).
#pragma once

#include <vector>

#include "howdah/backend/yarn/hadoop_client.h"
#include "howdah/base/ids.h"
#include "howdah/journal/job_view.h"

namespace howdah::backend::yarn {

// Returns all children that the ResourceManager still knows, in the order of their ids.
Result<std::vector<journal::ChildView>> ChildrenOf(HadoopClient& cluster, const JobId& job);

// Kills the children that have not ended. Returns the first error after it has tried all of them.
Status KillChildren(HadoopClient& cluster, const JobId& job);

}  // namespace howdah::backend::yarn
