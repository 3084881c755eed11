#include "howdah/frameworks/tensorboard.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "howdah/cli/args/syntax.h"
#include "howdah/cli/output/terminal.h"
#include "howdah/client/exit_code.h"
#include "howdah/client/find_job.h"
#include "howdah/client/follow.h"
#include "howdah/client/local_tensorboard.h"
#include "howdah/client/submitter.h"
#include "howdah/jobspec/job_file.h"
#include "howdah/os/files/fd.h"
#include "howdah/os/files/files.h"
#include "howdah/os/files/temporary_directory.h"
#include "howdah/os/process/spawn.h"
#include "interrupts.h"
#include "serve_forward.h"

namespace howdah::cli::commands {
namespace {

// Prints the address once TensorBoard serves. Returns after Ctrl-C, or with an error when TensorBoard exits.
Result<int> ServeUntilInterrupted(const os::process::Child& child, int output) {
  Interrupts interrupts;
  std::string printed;
  bool served = false;
  for (;;) {
    pollfd wanted[2] = {{output, POLLIN, 0}, {interrupts.fd(), POLLIN, 0}};
    if (poll(wanted, 2, -1) < 0) continue;  // EINTR: the signal handler has written to the pipe
    if (wanted[1].revents != 0) {
      kill(-child.pid, SIGTERM);
      os::process::WaitFor(child);
      return client::kExitOk;
    }
    char bytes[4096];
    const ssize_t size = read(output, bytes, sizeof bytes);
    if (size <= 0) {
      kill(-child.pid, SIGKILL);
      os::process::WaitFor(child);
      return Failed("TensorBoard has ended; its last output: " + printed);
    }
    printed.append(bytes, static_cast<size_t>(size));
    const std::string address = served ? "" : frameworks::TensorBoardAddress(printed);
    if (!address.empty()) output::Print(address + "\n");
    served |= !address.empty();
    if (served || printed.size() > sizeof bytes)
      printed.erase(0, printed.size() - std::min(printed.size(), sizeof bytes / 4));
  }
}

// For a finished job: runs TensorBoard on this machine with the event files of the job.
Result<int> ShowAfterwards(const std::string& logdir, backend::Cluster& cluster, int listen) {
  HOWDAH_TRY(const auto copy, os::files::TemporaryDirectory::Make("tensorboard"));
  HOWDAH_TRY(const client::EventFiles files, client::FindEventFiles(cluster, logdir, copy.path()));
  if (!files.problem.empty()) output::PrintNote(files.problem);
  if (files.directory == copy.path())
    output::PrintMessage("showing a copy of " + std::to_string(files.copied) + " event files of " + logdir);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return os::files::SystemError("starting TensorBoard");
  const os::files::Fd read_end(ends[0]);
  os::files::Fd write_end(ends[1]);
  HOWDAH_TRY(const os::process::Child child,
             client::StartTensorBoard(files.directory, static_cast<uint16_t>(listen), write_end.get()));
  write_end.Close();
  return ServeUntilInterrupted(child, read_end.get());
}

// Whether the application master has recorded either the address of the job's TensorBoard or why there is none.
bool IsDecided(const journal::JobView& view) {
  return !view.tensorboard_url.empty() || !view.tensorboard_advice.empty();
}

struct TensorBoardArguments {
  std::string id;
  int listen = 0;
};

Result<int> TensorBoard(client::Connection& connection, const TensorBoardArguments& arguments) {
  HOWDAH_TRY(const client::Job job, client::FindJob(connection, arguments.id, output::PrintNote));
  HOWDAH_TRY(const std::string text, job.cluster->JobFile(job.id));
  HOWDAH_TRY(const jobspec::JobSpec spec, jobspec::ReadEffective(text));
  if (spec.tensorboard_logdir.empty()) {
    return Failed(job.id.text + " has no TensorBoard; set `tensorboard: {logdir: ...}` in the job file");
  }
  client::JournalSink sink(output::PrintNote);
  {
    const Interrupts interrupts;
    HOWDAH_TRY(const bool decided, client::AwaitJob(*job.cluster, job.id, sink, interrupts.fd(), IsDecided));
    if (!decided) return client::kExitOk;
  }
  if (core::IsFinal(sink.view.state)) return ShowAfterwards(spec.tensorboard_logdir, *job.cluster, arguments.listen);
  if (sink.view.tensorboard_url.empty()) return Failed(sink.view.tensorboard_advice);
  return ServeForward(job, {}, arguments.listen, nullptr);
}

}  // namespace

args::Command TensorBoardCommand(client::Connection& connection) {
  return {"tensorboard", "Open the TensorBoard of a job; for a finished job, start one on this machine",
          "  howdah tensorboard last", [&connection](args::Syntax& syntax) -> args::Runner {
            const auto arguments = std::make_shared<TensorBoardArguments>();
            syntax.Id(arguments->id);
            AddListen(syntax, arguments->listen);
            return [&connection, arguments] { return TensorBoard(connection, *arguments); };
          }};
}

}  // namespace howdah::cli::commands
