// The options of a client of the ResourceManager, for each of its services.
#pragma once

#include "howdah/base/result.h"
#include "howdah/hadoop/conf/configuration.h"
#include "howdah/hadoop/conf/services.h"
#include "howdah/hadoop/rpc/client_options.h"

namespace howdah::hadoop::yarn {

// Errors are those of conf::ResourceManagers. `protocol` of the result is empty.
Result<rpc::ClientOptions> RmOptions(const conf::Configuration& configuration, conf::RmService service,
                                     rpc::Login login, rpc::RetryLimits limits);

}  // namespace howdah::hadoop::yarn
