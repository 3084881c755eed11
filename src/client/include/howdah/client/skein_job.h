// Reads an application specification of Skein, and translates it into a job file.
#pragma once

#include <string>

#include "howdah/base/result.h"
#include "howdah/client/translated_job.h"

namespace howdah::client {

// `file` is the path of the specification. The job's problems are those of the specification, with their lines. An
// Error means that the file cannot be read.
Result<TranslatedJob> ReadSkeinJob(const std::string& file);

}  // namespace howdah::client
