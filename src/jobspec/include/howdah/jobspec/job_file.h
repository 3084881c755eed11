// Parses job files into a JobSpec, and writes them. Pure: paths are made absolute as text, and only SubmitHost checks
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
  std::string file;  // the path that the user gave
  int line = 0;      // 1-based; 0 for a --set, and for the file as a whole
  std::string key;   // "roles.worker.memory"; empty for the file as a whole
  std::string text;  // the mistake, and what to do
  // For a syntax error: the line of the file, and a line with a caret below the error. Otherwise empty.
  std::string excerpt = {};
  // Formats "job.yaml:7: roles.worker.memroy: unknown key; did you mean 'memory'?".
  std::string ToText() const;
  friend bool operator==(const Problem&, const Problem&) = default;
};

enum class PathKind { kMissing, kFile, kDirectory };

// The facts about the submitting machine that are needed to parse a job file.
struct SubmitHost {
  std::string file_name;  // used in messages; its stem is the default of `name`
  std::string directory;  // absolute; the file's relative paths start here
  // Returns a variable of the submitting environment, or nullopt if it is not set.
  std::function<std::optional<std::string>(const std::string&)> variable;
  // Returns the kind of an absolute path.
  std::function<PathKind(const std::string&)> path_kind;
  // The values of --set: KEY=VALUE, applied in this order before any check. KEY is a path through maps
  // ("roles.worker.instances"); missing maps are created. VALUE is YAML. Problems with these values have the file
  // "--set" and line 0.
  std::vector<std::string> sets;
};

struct ParsedJob {
  JobSpec spec;                   // valid only if problems is empty
  std::vector<Problem> problems;  // all problems, in the order of their lines
  std::vector<Problem> hints;     // about renamed keys
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
