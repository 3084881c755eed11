#include "job_forward.h"

#include "follow.h"
#include "terminal.h"
#include "connection.h"
#include "interrupts.h"

namespace howdah::cli {
namespace {

// Until the job's end, or an interrupt.
void ServeWhileItRuns(const JobId& id, backend::Follow& follow, JobForward& forward, const Interrupts& interrupts) {
  JournalSink watch;
  for (;;) {
    while (follow.Read(watch)) {
    }
    if (core::IsFinal(watch.view.state) || follow.ended()) {
      return Say(id.text + " has ended: " + std::string(core::ToText(watch.view.state)));
    }
    forward.OnStatus(watch.view);
    if (WaitFor(follow, interrupts.fd(), std::nullopt) == Woke::kInterrupt) return;
  }
}

}  // namespace

Result<JobForward> JobForward::Start(backend::Cluster& place, const JobId& id, const rpc::streams::Target& target,
                                     int listen, std::function<void(const std::string& line)> say) {
  const auto am = place.Contact(id);
  if (!am.ok()) return am.error();
  auto forward = rpc::streams::PortForward::Start(static_cast<uint16_t>(listen), *am, target, std::move(say));
  if (!forward.ok()) return forward.error();
  return JobForward(place, id, std::move(*forward));
}

void JobForward::OnStatus(const journal::JobView& view) {
  if (am_attempt_ >= 0 && view.am_attempt != am_attempt_) {
    // What cannot be reached yet is said of each connection.
    if (const auto am = place_->Contact(id_); am.ok()) forward_->Use(*am);
  }
  am_attempt_ = view.am_attempt;
}

std::string JobForward::address() const { return "http://127.0.0.1:" + std::to_string(forward_->port()) + "/"; }

int ServeForward(backend::Cluster& place, const JobId& id, const rpc::streams::Target& target, int listen,
                 const std::function<std::string(const std::string& address)>& url) {
  const auto follow = place.FollowJob(id, std::nullopt);
  if (!follow.ok()) return Report(follow.error());
  auto forward = JobForward::Start(place, id, target, listen, [](const std::string& line) { Say("howdah: " + line); });
  if (!forward.ok()) return Report(forward.error());
  const Interrupts interrupts;  // from before anybody can know that it serves
  Print((url ? url(forward->address()) : forward->address()) + "\n");
  ServeWhileItRuns(id, **follow, *forward, interrupts);
  return kExitOk;
}

}  // namespace howdah::cli
