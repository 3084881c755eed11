// Notes for users about the key `outputs` of a job that has ended.
#pragma once

#include <string>
#include <vector>

#include "howdah/jobspec/job_spec.h"

namespace howdah::client {

// Returns one note for each pattern of `outputs` that selects none of the kept files. kept: paths ROLE-INDEX/...
std::vector<std::string> OutputsNotes(const jobspec::JobSpec& spec, const std::vector<std::string>& kept);

}  // namespace howdah::client
