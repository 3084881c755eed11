#include "howdah/frameworks/tensorboard.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>

#include "commands.h"
#include "howdah/jobspec/job_file.h"
#include "howdah/os/files/files.h"
#include "howdah/os/process/clock.h"
#include "howdah/os/process/spawn.h"
#include "howdah/storage/mirror.h"
#include "follow.h"
#include "terminal.h"
#include "job_forward.h"
#include "interrupts.h"

namespace howdah::cli {
namespace {

constexpr char kInstall[] =
    "there is no `tensorboard` in PATH; run `pip install tensorboard`, or put the folder that has it in front of PATH";

constexpr int64_t kMostBytes = int64_t{8} << 30;  // of a copy on this machine's disk

// A directory that is gone at the end of this.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    path_ = Variable("TMPDIR").value_or("/tmp") + "/howdah-tensorboard.XXXXXX";
    if (mkdtemp(path_.data()) == nullptr) path_.clear();
  }
  ~TemporaryDirectory() {
    // What cannot be removed stays, as with any program that is interrupted.
    if (!path_.empty()) (void)os::files::RemoveTree(path_).ok();
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  const std::string& path() const { return path_; }  // empty: none could be made

 private:
  std::string path_;
};

Result<os::process::Child> StartTensorBoard(const std::string& logdir, int listen, int output) {
  os::process::SpawnRequest request;
  const os::process::FoundCommand found = os::process::LookUpCommand("tensorboard", Variable("PATH").value_or(""), "");
  if (found.error != 0) return Failed(kInstall);
  request.program = found.program;
  request.argv = {"tensorboard", "--logdir", logdir, "--host", "127.0.0.1", "--port", std::to_string(listen)};
  for (char** variable = environ; *variable != nullptr; ++variable) request.environment.emplace_back(*variable);
  request.stdout_fd = request.stderr_fd = output;
  request.death_signal = SIGTERM;
  return os::process::SpawnOrError(request);
}

// Until it ends (what it said last is told) or Ctrl-C. Prints its address once it serves.
int ServeUntilInterrupted(const os::process::Child& child, int output) {
  Interrupts interrupts;
  std::string said;
  bool served = false;
  for (;;) {
    pollfd wanted[2] = {{output, POLLIN, 0}, {interrupts.fd(), POLLIN, 0}};
    if (poll(wanted, 2, -1) < 0) continue;  // EINTR: the handler has written
    if (wanted[1].revents != 0) {
      kill(-child.pid, SIGTERM);
      os::process::WaitFor(child);
      return kExitOk;
    }
    char bytes[4096];
    const ssize_t size = read(output, bytes, sizeof bytes);
    if (size <= 0) {
      kill(-child.pid, SIGKILL);
      os::process::WaitFor(child);
      return Report(Failed("TensorBoard has ended; it said: " + said));
    }
    said.append(bytes, static_cast<size_t>(size));
    const std::string address = served ? "" : frameworks::TensorBoardAddress(said);
    if (!address.empty()) Print(address + "\n");
    served |= !address.empty();
    if (served || said.size() > sizeof bytes) said.erase(0, said.size() - std::min(said.size(), sizeof bytes / 4));
  }
}

// Of a job that has ended: over the files that it left.
int ShowAfterwards(const std::string& logdir, backend::Cluster& place, int listen) {
  TemporaryDirectory copy;
  const auto local = storage::LocalPath(logdir);
  const std::string shown = local.value_or(copy.path());
  if (local) {
    if (access(shown.c_str(), R_OK | X_OK) != 0)
      return Report(os::files::SystemError("reading " + shown + ", which has to be on this machine"));
  } else {
    const auto files = place.OpenFiles(logdir);
    if (!files.ok()) return Report(files.error());
    if (shown.empty()) return Report(os::files::SystemError("making a temporary directory"));
    storage::Mirror mirror(**files, storage::PathOfUri(logdir), shown, kMostBytes);
    const Status copied = mirror.Update(os::process::Clock().Now());
    if (!copied.ok()) Say("howdah: " + copied.error().message);
    Say("a copy of " + std::to_string(mirror.count()) + " event files of " + logdir + " as they are now");
  }
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return Report(os::files::SystemError("starting TensorBoard"));
  const os::files::Fd read_end(ends[0]);
  os::files::Fd write_end(ends[1]);
  const auto child = StartTensorBoard(shown, listen, write_end.get());
  if (!child.ok()) return Report(child.error());
  write_end.Close();
  return ServeUntilInterrupted(*child, read_end.get());
}

// The application master has said whether there is one.
bool KnowsOfTensorBoard(const journal::JobView& view) {
  return !view.tensorboard_url.empty() || !view.tensorboard_advice.empty();
}

}  // namespace

int TensorboardCommand(Shell& shell, const Arguments& arguments) {
  const auto made = shell.Place();
  if (!made.ok()) return Report(made.error());
  backend::Cluster& place = **made;
  const auto id = place.Resolve(arguments.id);
  if (!id.ok()) return Report(id.error());
  const auto text = place.JobFile(*id);
  if (!text.ok()) return Report(text.error());
  const auto spec = jobspec::ReadEffective(*text);
  if (!spec.ok()) return Report(spec.error());
  if (spec->tensorboard_logdir.empty()) {
    return Report(Failed(id->text + " has no TensorBoard; write `tensorboard: {logdir: ...}` in the job file"));
  }
  JournalSink job;
  const auto known = AwaitJob(place, *id, job, KnowsOfTensorBoard);
  if (!known.ok()) return Report(known.error());
  if (!*known) return kExitOk;
  if (core::IsFinal(job.view.state)) return ShowAfterwards(spec->tensorboard_logdir, place, arguments.listen);
  if (job.view.tensorboard_url.empty()) return Report(Failed(job.view.tensorboard_advice));
  return ServeForward(place, *id, {}, arguments.listen, nullptr);
}

}  // namespace howdah::cli
