// Reads a job of TonY from its flags and configuration files, and translates it into a job file.
#pragma once

#include <string>
#include <vector>

#include "howdah/client/connection.h"
#include "howdah/compat/tony/config/translate.h"
#include "howdah/jobspec/job_file.h"

namespace howdah::client {

struct TonyJob {
  jobspec::ParsedJob job;  // includes the problems of the configuration
  std::vector<compat::tony::config::Note> notes;
};

// Reads tony.xml or -conf_file, and tony-site.xml. `on` is the backend's name.
Result<TonyJob> ReadTonyJob(Connection& connection, const compat::tony::config::Flags& flags, const std::string& on);

}  // namespace howdah::client
