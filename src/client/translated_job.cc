#include "howdah/client/translated_job.h"

#include "howdah/client/job_request.h"

namespace howdah::client {

Result<TranslatedJob> CheckTranslation(compat::common::Translation translation, const std::string& origin) {
  HOWDAH_TRY(jobspec::SubmitHost host, SubmitHostHere(origin));
  host.variable = nullptr;  // the translated text has no variables
  jobspec::ParsedJob job = jobspec::ParseJobFile(jobspec::WriteEffective(translation.job), host);
  std::vector<keyfile::Problem> problems;
  for (const std::string& text : translation.problems) {
    keyfile::Problem problem;
    problem.file = origin;
    problem.text = text;
    problems.push_back(std::move(problem));
  }
  for (keyfile::Problem& problem : job.problems) {
    problem.line = 0;  // the user has no file with these lines
    problems.push_back(std::move(problem));
  }
  job.problems = std::move(problems);
  return TranslatedJob{std::move(job), std::move(translation.notes)};
}

}  // namespace howdah::client
