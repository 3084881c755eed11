// Where processes of Horovod belong in their world.
#pragma once

#include "howdah/core/job.h"
#include "howdah/frameworks/framework.h"
#include "howdah/rendezvous/horovod_worlds.h"
#include "howdah/spec/job_spec.h"

namespace howdah::frameworks {

// Of a process that has a rank: as it is started with it, or told it (rendezvous::HorovodWorlds).
rendezvous::Seat SeatOf(const spec::JobSpec& spec, const core::Cluster& cluster, const ProcessPlace& place);

}  // namespace howdah::frameworks
