// Value types of job files only: names of jobs and signals, variables, commands.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "howdah/jobspec/job_spec.h"
#include "howdah/keyfile/value_types.h"

namespace howdah::jobspec {

keyfile::ValueType<std::string> JobName();  // at most kLongestJobName bytes
// A signal's name. `names` returns the accepted names.
keyfile::ValueType<std::string> SignalName(const std::vector<std::string_view>& (*names)());
keyfile::ValueType<EnvVars> Variables();
keyfile::ValueType<Command> CommandLine();
// The URL and the port of a probe (Ready). Variables of the task are kept for the executor.
keyfile::ValueType<std::string> ProbeUrl();
keyfile::ValueType<std::string> ProbePort();

}  // namespace howdah::jobspec
