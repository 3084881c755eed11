// Answers to requests that submit a job.
#pragma once

#include <string>
#include <vector>

#include "howdah/base/ids.h"
#include "howdah/jobspec/job_file.h"
#include "howdah/web/message.h"

namespace howdah::portal {

// The sentence for a job that cannot be submitted, because of a problem of its file or else a refusal of the backend;
// "" if it can.
std::string ReasonNotToSubmit(const jobspec::ParsedJob& job, const std::vector<std::string>& refusals);

// 202 with the id of the new job.
web::Response SubmittedAnswer(const JobId& id);

// 202 with the id null, for a submission that takes longer than an answer may take, and that continues.
web::Response StillSubmittingAnswer();

}  // namespace howdah::portal
