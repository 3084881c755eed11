#include "admission.h"
#include "commands.h"
#include "terminal.h"

namespace howdah::cli {

int SubmitCommand(Shell& shell, const Arguments& arguments) {
  const auto job = AdmittedJob(shell, arguments.job);
  if (const int* code = std::get_if<int>(&job)) return *code;
  backend::Cluster& place = **shell.Place();
  const auto id = SubmitShowing(place, std::get<jobspec::JobSpec>(job), arguments.keep);
  if (!id.ok()) return Report(id.error());
  Print(id->text + "\n");
  return kExitOk;
}

}  // namespace howdah::cli
