#include "commands.h"
#include "follow.h"
#include "status_text.h"

namespace howdah::cli {

int WaitCommand(Shell& shell, const Arguments& arguments) {
  const auto place = shell.Place();
  if (!place.ok()) return Report(place.error());
  const auto id = (*place)->Resolve(arguments.id);
  if (!id.ok()) return Report(id.error());
  const auto view = FollowJournal(**place, *id, Until::kEnd, arguments.timeout, nullptr);
  if (!view.ok() && view.error().code == ErrorCode::kTimeout) {
    Say("howdah: waiting for " + view.error().message + "; it goes on");
    return kExitTimeout;
  }
  if (!view.ok()) return Report(view.error());
  const std::string farewell = Farewell(*view, (*place)->LogsPlace(*id));
  Say(farewell.substr(0, farewell.size() - 1));
  return ExitCodeOf(*view);
}

}  // namespace howdah::cli
