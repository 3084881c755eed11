#include "task_script.h"

#include <fcntl.h>
#include <unistd.h>

#include "howdah/base/ids.h"
#include "howdah/os/files/fd.h"
#include "howdah/os/files/files.h"
#include "howdah/rpc/streams/run_remote.h"

namespace howdah::cli {
namespace {

constexpr size_t kAnswerLimit = 4096;  // what a pipe takes whole, so that nobody has to read meanwhile

}  // namespace

Result<std::string> AskTask(const rpc::AmContact& am, const std::string& role, int index, const std::string& script,
                            Signals signals) {
  const std::string task = TaskText(role, index);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return os::files::SystemError("asking " + task);
  const os::files::Fd read_end(ends[0]);
  os::files::Fd write_end(ends[1]);
  const os::files::Fd nothing(open("/dev/null", O_RDONLY | O_CLOEXEC));
  rpc::streams::RemoteCommand command{role, index, {"bash", "-c", script}};
  command.in = nothing.get();
  command.out = write_end.get();
  command.passes_signals = signals == Signals::kToTheQuestion;
  const auto code = rpc::streams::RunRemote(am, command);
  if (!code.ok()) return code.error();
  write_end.Close();
  std::string answer(kAnswerLimit, '\0');
  const ssize_t size = read(read_end.get(), answer.data(), answer.size());
  answer.resize(size < 0 ? 0 : static_cast<size_t>(size));
  if (*code != 0) return std::string();
  return answer.substr(0, answer.find('\n'));
}

}  // namespace howdah::cli
