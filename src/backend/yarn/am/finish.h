// The end of an application, said to the ResourceManager.
#pragma once

#include <string>

#include "howdah/base/result.h"
#include "howdah/core/change.h"
#include "howdah/hadoop/conf/configuration.h"
#include "howdah/hadoop/rpc/token.h"

namespace howdah::backend::yarn::am {

// Unregisters the attempt that the token belongs to, so that YARN starts no other, with the job's state and reason as
// YARN's diagnostics. Blocks until the ResourceManager has taken it. For whoever lives last: the AM at the job's end,
// or its guardian.
Status FinishApplication(const hadoop::conf::Configuration& configuration, const hadoop::rpc::Token& am_rm_token,
                         const core::JobChanged& end, Duration limit);

}  // namespace howdah::backend::yarn::am
