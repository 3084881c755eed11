#include "howdah/client/task_script.h"

#include <fcntl.h>
#include <unistd.h>

#include "howdah/base/ids.h"
#include "howdah/os/files/fd.h"
#include "howdah/os/files/files.h"
#include "howdah/rpc/streams/run_remote.h"

namespace howdah::client {
namespace {

// The output fits into a pipe's buffer, so nothing needs to read it while the script runs.
constexpr size_t kOutputLimit = 4096;

}  // namespace

Result<std::string> RunScript(const rpc::AmContact& am, const TaskName& task, const std::string& script,
                              Signals signals) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    return os::files::SystemError("running a script in " + TaskText(task.role, task.index));
  }
  const os::files::Fd read_end(ends[0]);
  os::files::Fd write_end(ends[1]);
  const os::files::Fd no_input(open("/dev/null", O_RDONLY | O_CLOEXEC));
  rpc::streams::RemoteCommand command{task.role, task.index, {"bash", "-c", script}};
  command.in = no_input.get();
  command.out = write_end.get();
  command.passes_signals = signals == Signals::kToScript;
  HOWDAH_TRY(const int exit_code, rpc::streams::RunRemote(am, command));
  write_end.Close();
  std::string output(kOutputLimit, '\0');
  const ssize_t size = read(read_end.get(), output.data(), output.size());
  output.resize(size < 0 ? 0 : static_cast<size_t>(size));
  if (exit_code != 0) return std::string();
  return output.substr(0, output.find('\n'));
}

}  // namespace howdah::client
