#include "submission.h"

#include "json_text.h"

namespace howdah::portal {
namespace {

web::Response Submission(const std::string& text, const Json& id) {
  return web::Json(Dump({{"text", text}, {"id", id}}) + "\n", 202);
}

}  // namespace

std::string ReasonNotToSubmit(const jobspec::ParsedJob& job, const std::vector<std::string>& refusals) {
  if (!job.problems.empty()) return job.problems.front().ToText();
  return refusals.empty() ? "" : refusals.front();
}

web::Response SubmittedAnswer(const JobId& id) { return Submission(id.text + " was submitted", id.text); }

web::Response StillSubmittingAnswer() {
  return Submission("the files of the job are still being copied; the job appears in the list", nullptr);
}

}  // namespace howdah::portal
