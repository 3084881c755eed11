// What a task hands on to the roles that wait for its end.
#pragma once

#include <string>

#include "howdah/base/result.h"
#include "howdah/jobspec/job_spec.h"

namespace howdah::executor {

// The most of an output that is searched, and the most that all names and values of a task may be: they stand in the
// environment of every process of the roles behind, and Linux takes no variable of more than 128 KiB.
inline constexpr size_t kExportsSearched = size_t{64} << 20;
inline constexpr size_t kExportsLimit = size_t{64} << 10;

// wanted: variables, and the text behind which each has its value, up to the end of the line, in the first line of the
// file that has the text. What is not there is left out. An error names what no variable can be made of: a value that
// is too long or has a zero byte in it, or a text that is not in what of the file is searched.
Result<jobspec::EnvVars> FindExports(const std::string& output, const jobspec::EnvVars& wanted);

}  // namespace howdah::executor
