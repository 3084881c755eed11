#include "admission.h"

#include "job_request.h"
#include "staging_bar.h"

namespace howdah::cli {

std::variant<jobspec::JobSpec, int> AdmittedJob(Shell& shell, const JobArguments& arguments) {
  auto job = ReadJob(arguments);
  if (!job.ok()) return Report(job.error());
  return Admit(shell, std::move(*job));
}

std::variant<jobspec::JobSpec, int> Admit(Shell& shell, jobspec::ParsedJob job) {
  if (!job.problems.empty()) {
    TellProblems(job.problems);
    return kExitUsage;
  }
  const auto place = shell.Place();
  if (!place.ok()) return Report(place.error());
  const auto refusals = (*place)->Refusals(job.spec);
  for (const std::string& refusal : refusals) Say("howdah: " + refusal);
  if (!refusals.empty()) return kExitPlace;
  return std::move(job.spec);
}

Result<JobId> SubmitShowing(backend::Cluster& place, const jobspec::JobSpec& spec, bool keep) {
  StagingBar bar;
  auto id = place.Submit(spec, {.keep = keep, .user = UserName(), .on_staged = [&](int64_t done, int64_t total) {
                                  bar.Show(done, total);
                                }});
  bar.Clear();
  return id;
}

}  // namespace howdah::cli
