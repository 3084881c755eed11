// From the text of a job file to a JobSpec, and back. Pure: paths are made absolute by their text alone; whether a
// named file is there is asked through Surroundings.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/jobspec/job_spec.h"

namespace howdah::jobspec {

// One thing that is wrong with a job file.
struct Problem {
  std::string file;  // as the user named it
  int line = 0;      // 1-based; 0: none (a --set, or the file as a whole)
  std::string key;   // dotted path: "roles.worker.memory"; empty: the file as a whole
  std::string text;  // what is wrong, and what to do
  // "job.yaml:7: roles.worker.memroy: unknown key; did you mean 'memory'?"
  std::string ToText() const;
  friend bool operator==(const Problem&, const Problem&) = default;
};

enum class PathKind { kMissing, kFile, kDirectory };

// What reading a job file needs to know of the submitter's machine.
struct Surroundings {
  std::string file_name;  // for messages, and the default of `name` (its stem)
  std::string directory;  // absolute: relative paths of the file count from here
  // A variable of the submitting environment; nullopt: unset.
  std::function<std::optional<std::string>(const std::string&)> variable;
  // What is at an absolute path of this machine.
  std::function<PathKind(const std::string&)> path_kind;
  // --set KEY=VALUE, applied in this order before anything is checked. KEY leads through maps, which are made if absent
  // ("roles.worker.instances"), VALUE is YAML. A problem of one has the file "--set" and line 0.
  std::vector<std::string> sets;
};

struct ParsedJob {
  JobSpec spec;                   // of use only if problems is empty
  std::vector<Problem> problems;  // all of them, in the order of their lines
};

// Reads a job file of a user: YAML or JSON, strict, all problems at once. Never throws, whatever the bytes; bounded in
// time and memory for any text up to the limit of 1 MiB (a longer one is a problem).
ParsedJob ParseJobFile(std::string_view text, const Surroundings& surroundings);

// The effective job with every key that has a value, as JSON. It is itself a job file: ReadEffective reads it back, and
// so does ParseJobFile ($ is written $$).
std::string WriteEffective(const JobSpec& spec);
Result<JobSpec> ReadEffective(std::string_view json);

// The effective job as YAML, for people; it is itself a job file.
std::string DescribeEffective(const JobSpec& spec);

// The JSON Schema (draft 2020-12) of job files, for editors; from the key table.
std::string JsonSchema();
// The reference page of the docs (Markdown); from the key table.
std::string ReferencePage();

}  // namespace howdah::jobspec
