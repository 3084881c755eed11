#include "commands.h"
#include "follow.h"

namespace howdah::cli {

int KillCommand(Shell& shell, const Arguments& arguments) {
  const auto made = shell.Place();
  if (!made.ok()) return Report(made.error());
  backend::Cluster& place = **made;
  const auto id = place.Resolve(arguments.id);
  if (!id.ok()) return Report(id.error());
  const auto before = FollowJournal(place, *id, Until::kNow, std::nullopt, nullptr);
  if (!before.ok()) return Report(before.error());
  if (core::IsFinal(before->state)) {
    Say(id->text + " has ended: " + std::string(core::ToText(before->state)) + "; nothing to do");
    return kExitOk;
  }
  const Status stopped = place.Stop(*id, shell.By("`howdah kill`"), arguments.grace);
  if (!stopped.ok()) return Report(stopped.error());
  const auto after = FollowJournal(place, *id, Until::kEnd, std::nullopt, nullptr);
  if (!after.ok()) return Report(after.error());
  if (const Status gone = place.AwaitGone(*id); !gone.ok()) return Report(gone.error());
  Say(id->text + " " + std::string(core::ToText(after->state)) + (after->reason.empty() ? "" : ": " + after->reason));
  return kExitOk;
}

}  // namespace howdah::cli
