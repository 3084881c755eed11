#include "howdah/frameworks/tensorboard.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>

#include "howdah/cli/args/syntax.h"
#include "howdah/cli/output/terminal.h"
#include "howdah/client/exit_code.h"
#include "howdah/client/find_job.h"
#include "howdah/client/follow.h"
#include "howdah/client/submitter.h"
#include "howdah/jobspec/job_file.h"
#include "howdah/os/files/fd.h"
#include "howdah/os/files/files.h"
#include "howdah/os/process/clock.h"
#include "howdah/os/process/spawn.h"
#include "howdah/storage/mirror.h"
#include "interrupts.h"
#include "serve_forward.h"

namespace howdah::cli::commands {
namespace {

constexpr char kInstall[] =
    "`tensorboard` is not in PATH; run `pip install tensorboard`, or add the directory that contains it to PATH";

constexpr int64_t kMostBytes = int64_t{8} << 30;  // limit for the copy on this machine's disk

// A temporary directory, which the destructor removes.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    path_ = client::Variable("TMPDIR").value_or("/tmp") + "/howdah-tensorboard.XXXXXX";
    if (mkdtemp(path_.data()) == nullptr) path_.clear();
  }
  ~TemporaryDirectory() {
    if (!path_.empty()) (void)os::files::RemoveTree(path_).ok();
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  const std::string& path() const { return path_; }  // empty if it could not be created

 private:
  std::string path_;
};

Result<os::process::Child> StartTensorBoard(const std::string& logdir, int listen, int output) {
  os::process::SpawnRequest request;
  const os::process::FoundCommand found =
      os::process::LookUpCommand("tensorboard", client::Variable("PATH").value_or(""), "");
  if (found.error != 0) return Failed(kInstall);
  request.program = found.program;
  request.argv = {"tensorboard", "--logdir", logdir, "--host", "127.0.0.1", "--port", std::to_string(listen)};
  for (char** variable = environ; *variable != nullptr; ++variable) request.environment.emplace_back(*variable);
  request.stdout_fd = request.stderr_fd = output;
  request.death_signal = SIGTERM;
  return os::process::SpawnOrError(request);
}

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
  TemporaryDirectory copy;
  const auto local = storage::LocalPath(logdir);
  const std::string shown = local.value_or(copy.path());
  if (local) {
    if (access(shown.c_str(), R_OK | X_OK) != 0)
      return os::files::SystemError("reading " + shown + ", which must be on this machine");
  } else {
    HOWDAH_TRY(const auto files, cluster.OpenFiles(logdir));
    if (shown.empty()) return os::files::SystemError("creating a temporary directory");
    storage::Mirror mirror(*files, storage::PathOfUri(logdir), shown, kMostBytes);
    const Status copied = mirror.Update(os::process::Clock().Now());
    if (!copied.ok()) output::PrintNote(copied.error().message);
    output::PrintMessage("showing a copy of " + std::to_string(mirror.count()) + " event files of " + logdir);
  }
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return os::files::SystemError("starting TensorBoard");
  const os::files::Fd read_end(ends[0]);
  os::files::Fd write_end(ends[1]);
  HOWDAH_TRY(const os::process::Child child, StartTensorBoard(shown, listen, write_end.get()));
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
