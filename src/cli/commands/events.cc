#include "commands.h"
#include "follow.h"
#include "terminal.h"

namespace howdah::cli {

int EventsCommand(Shell& shell, const Arguments& arguments) {
  const auto place = shell.Place();
  if (!place.ok()) return Report(place.error());
  const auto id = (*place)->Resolve(arguments.id);
  if (!id.ok()) return Report(id.error());
  const Until until = arguments.follow ? Until::kEnd : Until::kNow;
  const auto view = FollowJournal(**place, *id, until, std::nullopt, [&](const core::JournalEntry& entry) {
    Print((arguments.json ? journal::EncodeEntry(entry) : journal::DescribeEntry(entry)) + "\n");
  });
  return view.ok() ? kExitOk : Report(view.error());
}

}  // namespace howdah::cli
