// The wait of an application master for tokens: YARN may start it when those of the job's submission have expired.
#pragma once

#include <string>

#include "howdah/backend/yarn/am_start.h"
#include "howdah/base/result.h"
#include "howdah/hadoop/conf/configuration.h"
#include "howdah/hadoop/rpc/token.h"
#include "howdah/hadoop/yarn/ids.h"
#include "howdah/jobspec/job_spec.h"
#include "howdah/os/process/clock.h"
#include "howdah/rpc/identity.h"

namespace howdah::backend::yarn::am {

struct TokenWaitOptions {
  const AmStart& start;
  const jobspec::JobSpec& spec;
  const hadoop::conf::Configuration& configuration;
  const rpc::Identity& identity;
  hadoop::rpc::Credentials present;  // the credentials of the container
  std::string listen_host;
  std::string checkpoint;                   // the path of the ResourceManagerCheckpoint
  hadoop::yarn::ContainerId own_container;  // the container in which the AM runs
  std::string own_host;                     // its node
};

// Registers this attempt with the ResourceManager, so that clients find it, and waits for newer tokens: from `howdah
// renew`, or from the keytab of the job file. Stores them for OwnCredentials. Returns the port that clients know, so
// the AM must listen on it. Refuses all other requests meanwhile. Returns kTimeout after `timeouts.am`.
Result<uint16_t> AwaitNewerTokens(const TokenWaitOptions& options, const os::process::Clock& clock);

}  // namespace howdah::backend::yarn::am
