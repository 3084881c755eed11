#include "serve_forward.h"

#include "journal_follow.h"
#include "output.h"
#include "shell.h"
#include "waiting.h"

namespace howdah::cli {
namespace {

// Until the job's end, or an interrupt.
void ServeWhileItRuns(backend::Place& place, const JobId& id, backend::Follow& follow, tunnel::Forward& forward,
                      const Interrupts& interrupts) {
  JournalSink watch;
  int am_attempt = -1;
  for (;;) {
    while (follow.Read(watch)) {
    }
    if (core::IsFinal(watch.view.state) || follow.ended()) {
      return Say(id.text + " has ended: " + std::string(core::ToText(watch.view.state)));
    }
    if (am_attempt >= 0 && watch.view.am_attempt != am_attempt) {
      // What cannot be reached yet is said of each connection.
      if (const auto am = place.Contact(id); am.ok()) forward.Use(*am);
    }
    am_attempt = watch.view.am_attempt;
    if (WaitFor(follow, interrupts.fd(), std::nullopt) == Woke::kInterrupt) return;
  }
}

}  // namespace

int ServeForward(backend::Place& place, const JobId& id, const tunnel::Target& target, int listen,
                 const std::function<std::string(const std::string& address)>& url) {
  const auto am = place.Contact(id);
  if (!am.ok()) return Report(am.error());
  const auto follow = place.FollowJob(id, std::nullopt);
  if (!follow.ok()) return Report(follow.error());
  const auto forward = tunnel::Forward::Start(static_cast<uint16_t>(listen), *am, target,
                                              [](const std::string& line) { Say("howdah: " + line); });
  if (!forward.ok()) return Report(forward.error());
  const Interrupts interrupts;  // from before anybody can know that it serves
  const std::string address = "http://127.0.0.1:" + std::to_string((*forward)->port()) + "/";
  Print((url ? url(address) : address) + "\n");
  ServeWhileItRuns(place, id, **follow, **forward, interrupts);
  return kExitOk;
}

}  // namespace howdah::cli
