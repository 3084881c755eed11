#include "tool_run.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <utility>
#include <variant>

#include "howdah/os/process/spawn.h"

namespace howdah::executor {
namespace {

constexpr size_t kOutputLimit = 1 << 20;

std::string ReadOutput(int fd) {
  std::string text(kOutputLimit, '\0');
  const ssize_t size = ::pread(fd, text.data(), text.size(), 0);
  text.resize(size > 0 ? static_cast<size_t>(size) : 0);
  return text;
}

}  // namespace

bool ToolRun::Start(const std::string& path, const std::vector<std::string>& argv, Duration limit,
                    std::function<void(Output)> done) {
  Cancel();
  const os::process::FoundCommand found = os::process::LookUpCommand(argv.front(), path, "/");
  if (found.error != 0) return false;
  // Files, because nobody reads a pipe while the program runs.
  out_ = os::files::Fd(::memfd_create("stdout", MFD_CLOEXEC));
  err_ = os::files::Fd(::memfd_create("stderr", MFD_CLOEXEC));
  os::process::SpawnRequest request;
  request.program = found.program;
  request.argv = argv;
  request.environment = {"PATH=" + path};
  request.stdout_fd = out_.get();
  request.stderr_fd = err_.get();
  request.death_signal = SIGKILL;
  auto spawned = os::process::Spawn(request);
  auto* child = std::get_if<os::process::Child>(&spawned);
  if (child == nullptr) return false;
  pid_ = child->pid;
  killed_ = false;
  done_ = std::move(done);
  alive_ = std::make_shared<char>();
  ended_.assign(child->pidfd.Release());
  ended_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                    [this, alive = std::weak_ptr(alive_)](const boost::system::error_code& error) {
                      if (!error && !alive.expired()) OnEnded();
                    });
  limit_.expires_after(limit);
  limit_.async_wait([this, alive = std::weak_ptr(alive_)](const boost::system::error_code& error) {
    if (!error && !alive.expired()) Kill();
  });
  return true;
}

void ToolRun::Kill() {
  if (pid_ <= 0) return;
  killed_ = true;
  ::kill(-pid_, SIGKILL);
}

void ToolRun::Cancel() {
  alive_.reset();
  done_ = nullptr;
  limit_.cancel();
  ended_.close();
  if (pid_ > 0) ::kill(-std::exchange(pid_, -1), SIGKILL);
}

void ToolRun::OnEnded() {
  alive_.reset();
  pid_ = -1;
  ended_.close();
  limit_.cancel();
  Output output{ReadOutput(out_.get()), ReadOutput(err_.get()), killed_};
  if (const auto done = std::exchange(done_, nullptr)) done(std::move(output));  // may start another program
}

void ResumeAfterDebugger(pid_t pid) { ::kill(pid, SIGCONT); }

}  // namespace howdah::executor
