// Parses job files into a JobSpec, and writes them. Pure: paths are made absolute textually, and only SubmitHost checks
// whether they exist.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/jobspec/job_spec.h"

namespace howdah::jobspec {

// A mistake in a job file, or a hint about one of its keys.
struct Problem {
  std::string file;  // as the user named it
  int line = 0;      // 1-based; 0 if there is none (a --set, or the file as a whole)
  std::string key;   // "roles.worker.memory"; empty for the file as a whole
  std::string text;  // the mistake, and what to do
  // "job.yaml:7: roles.worker.memroy: unknown key; did you mean 'memory'?"
  std::string ToText() const;
  friend bool operator==(const Problem&, const Problem&) = default;
};

enum class PathKind { kMissing, kFile, kDirectory };

// The properties of the submitting machine that parsing a job file needs.
struct SubmitHost {
  std::string file_name;  // for messages, and the default of `name` (its stem)
  std::string directory;  // the absolute path at which the file's relative paths start
  // Returns a variable of the submitting environment, or nullopt if it is not set.
  std::function<std::optional<std::string>(const std::string&)> variable;
  // Returns the kind of an absolute path.
  std::function<PathKind(const std::string&)> path_kind;
  // --set KEY=VALUE, applied in this order before any check. KEY is a path through maps, which are created if absent
  // ("roles.worker.instances"); VALUE is YAML. Their problems have the file "--set" and line 0.
  std::vector<std::string> sets;
};

struct ParsedJob {
  JobSpec spec;                   // valid only if problems is empty
  std::vector<Problem> problems;  // all of them, in the order of their lines
  std::vector<Problem> hints;     // about keys with changed names
};

// Parses a user's job file, YAML or JSON, strictly, and reports all problems at once. Never throws; time and memory are
// bounded for any text up to the limit of 1 MiB (a longer text is a problem).
ParsedJob ParseJobFile(std::string_view text, const SubmitHost& host);

// The effective job as JSON, with every key that has a value. It is itself a job file: ReadEffective and ParseJobFile
// read it back ($ is written as $$).
std::string WriteEffective(const JobSpec& spec);
Result<JobSpec> ReadEffective(std::string_view json);

// The effective job as YAML, for people; it is itself a job file.
std::string DescribeEffective(const JobSpec& spec);

// The JSON Schema (draft 2020-12) of job files, for editors; from the key table.
std::string JsonSchema();
// The reference page of the docs (Markdown); from the key table.
std::string ReferencePage();

}  // namespace howdah::jobspec
