#pragma once

#include "howdah/base/host_port.h"
#include "howdah/hadoop/conf/configuration.h"
#include "howdah/hadoop/yarn/scheduler.h"

namespace howdah::backend::yarn::am {

// The options of a registration with the ResourceManager of this configuration. am: the address at which executors and
// clients reach the AM; port 0 if it is not known.
hadoop::yarn::SchedulerOptions SchedulerOptionsOf(const hadoop::conf::Configuration& configuration, const HostPort& am);

}  // namespace howdah::backend::yarn::am
