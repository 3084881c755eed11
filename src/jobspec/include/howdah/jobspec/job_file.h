// Parses job files into a JobSpec, and writes them. Pure: paths are made absolute as text, and only the Host checks
// whether they exist.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/jobspec/job_spec.h"
#include "howdah/keyfile/host.h"
#include "howdah/keyfile/problem.h"

namespace howdah::jobspec {

// The facts about the submitting machine that are needed to parse a job file.
struct SubmitHost : keyfile::Host {
  // The values of --set: KEY=VALUE, applied in this order before any check. KEY is a path through maps
  // ("roles.worker.instances"); missing maps are created. VALUE is YAML. Problems with these values have the file
  // "--set" and line 0.
  std::vector<std::string> sets;
};

struct ParsedJob {
  JobSpec spec;                            // valid only if problems is empty
  std::vector<keyfile::Problem> problems;  // all problems, in the order of their lines
  std::vector<keyfile::Problem> hints;     // about renamed keys
};

// Parses a user's job file, YAML or JSON, strictly, and reports all problems at once. Never throws. Time and memory are
// bounded for any text up to the limit of 1 MiB; a longer text is a problem.
ParsedJob ParseJobFile(std::string_view text, const SubmitHost& host);

// Formats the effective job as JSON, with every key that has a value. The result is a job file: ReadEffective and
// ParseJobFile read it back ($ is written as $$).
std::string WriteEffective(const JobSpec& spec);
Result<JobSpec> ReadEffective(std::string_view json);

// Formats the effective job as YAML, for people. The result is a job file.
std::string DescribeEffective(const JobSpec& spec);

// Returns the JSON Schema (draft 2020-12) of job files for editors, generated from the key table.
std::string JsonSchema();
// Returns the reference page of the docs (Markdown), generated from the key table.
std::string ReferencePage();

}  // namespace howdah::jobspec
