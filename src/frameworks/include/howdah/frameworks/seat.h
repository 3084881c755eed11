// Where processes of Horovod belong in their world.
#pragma once

#include "howdah/core/job.h"
#include "howdah/frameworks/framework.h"
#include "howdah/frameworks/horovod/horovod_worlds.h"
#include "howdah/jobspec/job_spec.h"

namespace howdah::frameworks {

// Of a process that has a rank: as it is started with it, or told it (frameworks::horovod::HorovodWorlds).
frameworks::horovod::Seat SeatOf(const jobspec::JobSpec& spec, const core::PeerGroup& cluster,
                                 const ProcessPlace& place);

}  // namespace howdah::frameworks
