#include "am.h"

#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>

#include "howdah/am/am.h"
#include "howdah/am/guardian.h"
#include "howdah/backend/local/agent.h"
#include "howdah/os/files/files.h"
#include "howdah/os/process/machine.h"

namespace howdah::agent {
namespace {

// Says "ok" or what went wrong to the client that started us, and closes.
void TellReady(int ready_fd, const std::string& words) {
  if (ready_fd < 0) return;
  if (const Status told = os::files::WriteAll(ready_fd, words, "the submitting client"); !told.ok()) {
    std::cerr << told.error().message << "\n";  // it has gone; the job goes on
  }
  close(ready_fd);
}

Status RunTheJob(backend::local::AgentJob& job, int ready_fd, const std::string& before) {
  auto identity = job.AmIdentity();
  if (!identity.ok()) return identity.error();
  const os::process::Clock clock;
  am::AmOptions options;
  options.job = job.id();
  options.spec = job.spec();
  options.node = os::process::NodeName();
  options.listen_host = "127.0.0.1";
  options.how_before_died = before;
  options.listen_port = job.PublishedPort();
  options.journal = job.files().journal();
  options.event_log = job.files().event_log();
  options.agents_log_directory = job.files().agents();
  options.environment = job.ToolEnvironment();
  options.identity = std::move(*identity);
  options.on_listening = [&](const am::Listening& listening) {
    const Status announced = job.PublishAddress(listening.address);
    TellReady(ready_fd, announced.ok() ? "ok" : announced.error().message);
    return announced;
  };
  return am::RunAm(std::move(options), clock,
                   [&](boost::asio::io_context& loop, backend::Sink& sink, const am::Listening& listening) {
                     return job.MakeBackend(loop, sink, listening.address);
                   });
}

}  // namespace

int RunLocalAm(backend::local::AmStart start, int ready_fd) {
  signal(SIGPIPE, SIG_IGN);  // whoever reads what we write may be gone; that ends no job
  auto job = backend::local::AgentJob::Open(std::move(start));
  if (!job.ok()) {
    TellReady(ready_fd, job.error().message);
    return EXIT_FAILURE;
  }
  const auto am = [&](const std::string& before) {
    const Status ran = RunTheJob(**job, before.empty() ? ready_fd : -1, before);
    if (!ran.ok()) std::cerr << ran.error().message << "\n";
    return ran.ok() ? EXIT_SUCCESS : EXIT_FAILURE;
  };
  const auto after_death = [&](const std::string& how) {
    (*job)->CleanUp();
    const Status recorded = (*job)->RecordAmDeath(how);
    if (!recorded.ok()) std::cerr << recorded.error().message << "\n";
  };
  return am::RunGuarded(
      {.am = am, .again = [&] { return (*job)->CanRestart(); }, .after_death = after_death, .am_only_fd = ready_fd});
}

}  // namespace howdah::agent
