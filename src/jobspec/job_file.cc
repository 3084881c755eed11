#include "howdah/jobspec/job_file.h"

#include <algorithm>

#include "howdah/keyfile/parse.h"
#include "key_table.h"
#include "rules.h"
#include "sets.h"

namespace howdah::jobspec {

using namespace keyfile;

namespace {

// Returns "mnist" for "jobs/mnist.yaml".
std::string Stem(std::string_view file) {
  const size_t slash = file.find_last_of('/');
  if (slash != file.npos) file.remove_prefix(slash + 1);
  const size_t dot = file.find_last_of('.');
  return std::string(dot == file.npos || dot == 0 ? file : file.substr(0, dot));
}

Problem WholeFile(const SubmitHost& host, int line, std::string text) {
  Problem problem;
  problem.file = host.file_name;
  problem.line = line;
  problem.text = std::move(text);
  return problem;
}

}  // namespace

ParsedJob ParseJobFile(std::string_view text, const SubmitHost& host) {
  ParsedJob job;
  Tree tree;
  const ParsedTree parsed = ParseYaml(text, tree, false);
  if (parsed.error) {
    job.problems = {WholeFile(host, parsed.error->line, parsed.error->text)};
    job.problems.front().excerpt = parsed.error->excerpt;
    return job;
  }
  Reader reader(host);
  const bool is_empty = parsed.root == nullptr || parsed.root->kind == Node::Kind::kNull;
  if (is_empty && host.sets.empty()) {
    job.problems = {WholeFile(host, 1, "the file is empty; `howdah init` prints a template")};
    return job;
  }
  const Node* root = ApplySets(is_empty ? nullptr : parsed.root, host.sets, tree, reader);
  if (root != nullptr) {
    ReadSection(reader, *root, JobKeys(), job.spec);
    // Limit the default of `hold`, because the file may set a shorter `gang`.
    Timeouts& timeouts = job.spec.timeouts;
    if (!reader.WasGood("timeouts.hold")) timeouts.hold = std::min(timeouts.hold, timeouts.gang);
    CheckRules(job.spec, reader);
  }
  if (job.spec.name.empty()) job.spec.name = Stem(host.file_name);
  job.spec.relative_directories = reader.TakeRelativeDirectories();
  job.problems = reader.TakeProblems();
  job.hints = reader.TakeHints();
  return job;
}

}  // namespace howdah::jobspec
