#include "serve_forward.h"

#include "howdah/cli/output/terminal.h"
#include "howdah/client/exit_code.h"
#include "howdah/client/follow.h"
#include "howdah/os/process/limits.h"
#include "interrupts.h"

namespace howdah::cli::commands {
namespace {

// Returns when the job has ended or after an interrupt.
void ServeUntilEnd(const JobId& id, backend::Follow& follow, client::JobForward& forward,
                   const Interrupts& interrupts) {
  client::JournalSink sink(output::PrintNote);
  for (;;) {
    while (follow.Read(sink)) {
    }
    if (core::IsFinal(sink.view.state) || follow.ended()) {
      return output::PrintMessage(id.text + " has finished: " + std::string(core::ToText(sink.view.state)));
    }
    forward.OnStatus(sink.view);
    if (client::WaitFor(follow, interrupts.fd(), std::nullopt) == client::Woke::kInterrupt) return;
  }
}

}  // namespace

void AddListen(args::Syntax& syntax, int& listen) {
  syntax.Port("--listen", listen, args::Presence::kOptional, "The local port; default: any free one");
}

Result<int> ServeForward(const client::Job& job, const rpc::streams::Target& target, int listen,
                         const std::function<std::string(const std::string& address)>& url) {
  os::process::RaiseOpenFilesLimit();  // each connection needs descriptors
  HOWDAH_TRY(const auto follow, job.cluster->FollowJob(job.id, std::nullopt));
  HOWDAH_TRY(auto forward, client::JobForward::Start(*job.cluster, job.id, target, listen, output::PrintNote));
  const Interrupts interrupts;  // created before the address is printed, because a signal may arrive from then on
  output::Print((url ? url(forward.address()) : forward.address()) + "\n");
  ServeUntilEnd(job.id, *follow, forward, interrupts);
  return client::kExitOk;
}

}  // namespace howdah::cli::commands
