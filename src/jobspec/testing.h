// For the tests of this library: a submitting machine with a fixed set of variables and files.
#pragma once

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "howdah/jobspec/job_file.h"

namespace howdah::jobspec::testing {

// Returns a machine with a few files. Job files are in its directory /jobs.
inline SubmitHost Machine(std::string file_name = "job.yaml") {
  SubmitHost s;
  s.file_name = std::move(file_name);
  s.directory = "/jobs";
  s.variable = [](const std::string& name) -> std::optional<std::string> {
    static const std::map<std::string, std::string> variables = {
        {"HOME", "/home/u"}, {"EMPTY", ""}, {"N", "3"}, {"SIZE", "2GiB"}, {"LATIN", "\xe9"}, {"CONTRACT_OUT", "/out"}};
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
  s.path_kind = [](const std::string& path) {
    static const std::map<std::string, keyfile::PathKind> paths = {
        {"/jobs", keyfile::PathKind::kDirectory},       {"/jobs/src", keyfile::PathKind::kDirectory},
        {"/jobs/train", keyfile::PathKind::kDirectory}, {"/jobs/side.txt", keyfile::PathKind::kFile},
        {"/jobs/bundle.zip", keyfile::PathKind::kFile}, {"/jobs/env.tar.gz", keyfile::PathKind::kFile},
        {"/jobs/a/x.txt", keyfile::PathKind::kFile},    {"/jobs/b/x.txt", keyfile::PathKind::kFile},
        {"/data/$x", keyfile::PathKind::kFile},         {"/jobs/dir.zip", keyfile::PathKind::kDirectory}};
    const auto found = paths.find(path);
    return found == paths.end() ? keyfile::PathKind::kMissing : found->second;
  };
  return s;
}

// Returns the problems of a text, one line each.
inline std::vector<std::string> ProblemsOf(std::string_view text, const SubmitHost& host = Machine()) {
  std::vector<std::string> lines;
  for (const keyfile::Problem& problem : ParseJobFile(text, host).problems) lines.push_back(problem.ToText());
  return lines;
}

inline std::string ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

// Returns the names of the job files in tests/contract.
inline std::vector<std::string> ContractFiles() {
  std::vector<std::string> names;
  for (const char* name :
       {"chief-decides", "ddp", "env", "fail", "files", "first-cause", "grace", "hello", "jax", "list-command", "retry",
        "roles", "service-fails", "stubborn", "tf-multiworker", "tf-ps", "time-limit", "too-big"}) {
    names.push_back(std::string(name) + ".yaml");
  }
  return names;
}

inline std::string ContractText(const std::string& name) {
  return ReadFile(std::string(HOWDAH_SOURCE_DIR) + "/tests/contract/" + name);
}

}  // namespace howdah::jobspec::testing
