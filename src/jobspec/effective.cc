// The effective job: written by the client, read by the application master and by every executor.
#include "howdah/jobspec/job_file.h"
#include "howdah/keyfile/json_text.h"
#include "howdah/keyfile/parse.h"
#include "key_table.h"

namespace howdah::jobspec {

using namespace keyfile;

std::string WriteEffective(const JobSpec& spec) { return JsonText(WriteSection(JobKeys(), spec), 2) + "\n"; }

Result<JobSpec> ReadEffective(std::string_view json) {
  Tree tree;
  const ParsedTree parsed = ParseJson(json, tree);
  if (parsed.error) return Failed("reading the effective job: " + parsed.error->text);
  const SubmitHost no_host;  // the client has expanded the variables and checked the paths
  Reader reader(no_host);
  JobSpec spec;
  if (ReadSection(reader, *parsed.root, JobKeys(), spec)) return spec;
  const std::vector<Problem> problems = reader.TakeProblems();
  return Failed("reading the effective job: " + problems.front().key + ": " + problems.front().text);
}

}  // namespace howdah::jobspec
