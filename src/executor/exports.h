// Finds the values that a task exports to the roles that start after its end.
#pragma once

#include <string>

#include "howdah/base/result.h"
#include "howdah/jobspec/job_spec.h"

namespace howdah::executor {

// The limit of the searched part of an output, and the limit for all names and values of a task together. The values
// become environment variables of other roles, and Linux limits a variable to 128 KiB.
inline constexpr size_t kExportsSearched = size_t{64} << 20;
inline constexpr size_t kExportsLimit = size_t{64} << 10;

// output: a file. wanted: variables, each with the text that precedes its value. The value is the rest of the first
// line that contains the text. A variable without such a line is left out. Returns an error if a value is too long or
// contains a zero byte. Also returns an error if the file is longer than the searched part and one of the texts is not
// in that part.
Result<jobspec::EnvVars> FindExports(const std::string& output, const jobspec::EnvVars& wanted);

}  // namespace howdah::executor
