// A job that was translated from the files of another tool.
#pragma once

#include <string>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/compat/common/translation.h"
#include "howdah/jobspec/job_file.h"

namespace howdah::client {

struct TranslatedJob {
  jobspec::ParsedJob job;  // includes the problems of the translation
  std::vector<compat::common::Note> notes;
};

// Checks the translated job as a job file, so that it passes the same checks as any other. `origin` stands for the name
// of the file in messages: "tony".
Result<TranslatedJob> CheckTranslation(compat::common::Translation translation, const std::string& origin);

}  // namespace howdah::client
