// The table of all keys of the job file. Each row has the name, the section, the type with unit and range, the default
// (the field's), whether the key is required, and one line of help. Reading, checking, writing, the JSON Schema and the
// reference page all use these rows; a new key is one row here and one field in job_spec.h.
#pragma once

#include "section.h"

namespace howdah::jobspec {

const Section<JobSpec>& JobKeys();
const Section<RoleSpec>& RoleKeys();

}  // namespace howdah::jobspec
