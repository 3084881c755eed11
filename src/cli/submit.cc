#include "admitted_job.h"
#include "commands.h"
#include "output.h"

namespace howdah::cli {

int SubmitCommand(Shell& shell, const Arguments& arguments) {
  const auto job = AdmittedJob(shell, arguments.job);
  if (const int* code = std::get_if<int>(&job)) return *code;
  backend::Place& place = **shell.Place();
  const auto id = place.Submit(std::get<spec::JobSpec>(job), {.keep = arguments.keep, .user = UserName()});
  if (!id.ok()) return Report(id.error());
  Print(id->text + "\n");
  return kExitOk;
}

}  // namespace howdah::cli
