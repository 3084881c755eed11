// Reads a job of TonY from its flags and configuration files, and translates it into a job file.
#pragma once

#include <string>

#include "howdah/client/connection.h"
#include "howdah/client/translated_job.h"
#include "howdah/compat/tony/config/translate.h"

namespace howdah::client {

// Reads tony.xml or -conf_file, and tony-site.xml. `on` is the backend's name. The job's problems include those of the
// configuration.
Result<TranslatedJob> ReadTonyJob(Connection& connection, const compat::tony::config::Flags& flags,
                                  const std::string& on);

}  // namespace howdah::client
