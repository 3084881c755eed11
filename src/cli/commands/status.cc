#include <unistd.h>

#include "commands.h"
#include "howdah/os/process/clock.h"
#include "terminal.h"
#include "status_text.h"
#include "interrupts.h"

namespace howdah::cli {
namespace {

std::string StatusText(const journal::JobView& view, bool json) {
  if (json) return journal::ToJson(view, true) + "\n";
  return DescribeJob(view, os::process::Clock().Now(), WantsColour(STDOUT_FILENO));
}

// Something changed: that is all that is wanted.
class Ignore final : public backend::FollowSink {
 public:
  void OnEntry(const core::JournalEntry&) override {}
  void OnLog(const backend::LogSource&, std::string_view) override {}
  void OnNote(const std::string&) override {}
};

// On a terminal one picture that changes; on a pipe the status after every change.
int Watch(backend::Cluster& place, const JobId& id, bool json) {
  auto follow = place.FollowJob(id, std::nullopt);
  if (!follow.ok()) return Report(follow.error());
  const bool picture = IsTerminal(STDOUT_FILENO) && !json;
  Ignore ignore;
  while (!(*follow)->ended()) {
    const auto limit = picture ? std::optional<Duration>(std::chrono::seconds(1)) : std::nullopt;
    if (WaitFor(**follow, -1, limit) == Woke::kFollow) {
      while ((*follow)->Read(ignore)) {
      }
    }
    const auto view = place.Status(id);
    if (!view.ok()) return Report(view.error());
    Print((picture ? "\x1b[H\x1b[J" : "") + StatusText(*view, json) + (picture || json ? "" : "\n"));
  }
  return kExitOk;
}

}  // namespace

int StatusCommand(Shell& shell, const Arguments& arguments) {
  const auto place = shell.Place();
  if (!place.ok()) return Report(place.error());
  const auto id = (*place)->Resolve(arguments.id);
  if (!id.ok()) return Report(id.error());
  if (arguments.watch) return Watch(**place, *id, arguments.json);
  const auto view = (*place)->Status(*id);
  if (!view.ok()) return Report(view.error());
  Print(StatusText(*view, arguments.json));
  return kExitOk;
}

}  // namespace howdah::cli
