#include <unistd.h>

#include "commands.h"
#include "howdah/process/clock.h"
#include "output.h"
#include "status_text.h"

namespace howdah::cli {

int ListCommand(Shell& shell, const Arguments& arguments) {
  const auto place = shell.Place();
  if (!place.ok()) return Report(place.error());
  const auto jobs = (*place)->List(arguments.all);
  if (!jobs.ok()) return Report(jobs.error());
  if (arguments.json) {
    std::string text = "[";
    for (const history::JobView& view : *jobs) text += (text.size() == 1 ? "" : ",\n ") + history::ToJson(view, false);
    Print(text + "]\n");
    return kExitOk;
  }
  if (jobs->empty()) {
    Say(arguments.all ? "there are no jobs" : "no job is running; `howdah list --all` shows those that have ended");
    return kExitOk;
  }
  Print(DescribeJobs(*jobs, process::Clock().Now(), WantsColour(STDOUT_FILENO)));
  return kExitOk;
}

}  // namespace howdah::cli
