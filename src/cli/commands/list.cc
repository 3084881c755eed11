#include <unistd.h>

#include "commands.h"
#include "howdah/os/process/clock.h"
#include "terminal.h"
#include "status_text.h"

namespace howdah::cli {

int ListCommand(Shell& shell, const Arguments& arguments) {
  const auto place = shell.Place();
  if (!place.ok()) return Report(place.error());
  const auto jobs = (*place)->List(arguments.all);
  if (!jobs.ok()) return Report(jobs.error());
  if (arguments.json) {
    std::string text = "[";
    for (const journal::JobView& view : *jobs) text += (text.size() == 1 ? "" : ",\n ") + journal::ToJson(view, false);
    Print(text + "]\n");
    return kExitOk;
  }
  if (jobs->empty()) {
    Say(arguments.all ? "there are no jobs" : "no job is running; `howdah list --all` shows those that have ended");
    return kExitOk;
  }
  Print(DescribeJobs(*jobs, os::process::Clock().Now(), WantsColour(STDOUT_FILENO)));
  return kExitOk;
}

}  // namespace howdah::cli
