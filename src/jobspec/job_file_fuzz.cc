// Fuzzes the parser of users' job files.
#include <cstddef>
#include <cstdint>
#include <string>

#include "howdah/jobspec/job_file.h"

namespace howdah::jobspec {

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  SubmitHost host;
  host.file_name = "job.yaml";
  host.directory = "/work";
  host.variable = [](const std::string&) { return std::optional<std::string>("value"); };
  host.path_kind = [](const std::string&) { return keyfile::PathKind::kFile; };
  const ParsedJob job = ParseJobFile(text, host);
  if (!job.problems.empty()) return 0;
  if (!ReadEffective(WriteEffective(job.spec)).ok()) __builtin_trap();  // the AM could not read this job
  DescribeEffective(job.spec);
  return 0;
}

}  // namespace howdah::jobspec
