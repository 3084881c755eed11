#include "howdah/os/process/run_script.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "howdah/base/text.h"
#include "howdah/os/process/spawn.h"

namespace howdah::os::process {
namespace {

using SteadyTime = std::chrono::steady_clock::time_point;

constexpr Duration kTimeToTerminate = std::chrono::seconds(5);
constexpr size_t kMostOutput = size_t{4} << 20;

struct Pipe {
  files::Fd read_end, write_end;
};

Result<Pipe> MakePipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return files::SystemError("making a pipe");
  return Pipe{files::Fd(ends[0]), files::Fd(ends[1])};
}

Result<files::Fd> InputFile(const std::string& text) {
  files::Fd file(::memfd_create("input", MFD_CLOEXEC));
  if (!file.valid()) return files::SystemError("making the input of a script");
  size_t written = 0;
  while (written < text.size()) {
    const ssize_t count = ::write(file.get(), text.data() + written, text.size() - written);
    if (count < 0) return files::SystemError("writing the input of a script");
    written += static_cast<size_t>(count);
  }
  ::lseek(file.get(), 0, SEEK_SET);
  return file;
}

// Reads what is there. Returns false at the end.
bool ReadSome(int fd, std::string& text) {
  std::array<char, 65536> buffer;
  const ssize_t count = ::read(fd, buffer.data(), buffer.size());
  if (count < 0) return errno == EINTR || errno == EAGAIN;
  if (count > 0 && text.size() < kMostOutput) {
    text.append(buffer.data(), std::min(static_cast<size_t>(count), kMostOutput - text.size()));
  }
  return count > 0;
}

int MillisUntil(SteadyTime time) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(time - std::chrono::steady_clock::now()).count();
  return static_cast<int>(std::clamp<int64_t>(left, 0, 1'000'000));
}

// Reads both outputs until the script has ended, the time is over, or `stop` is readable. Children may keep the pipes
// open for longer.
bool ReadUntil(SteadyTime end, int stop, const Child& child, Pipe& out, Pipe& err, ScriptResult& result) {
  bool out_open = true, err_open = true;
  for (;;) {
    std::array<pollfd, 4> waits = {pollfd{child.pidfd.get(), POLLIN, 0},
                                   pollfd{out_open ? out.read_end.get() : -1, POLLIN, 0},
                                   pollfd{err_open ? err.read_end.get() : -1, POLLIN, 0}, pollfd{stop, POLLIN, 0}};
    const int ready = ::poll(waits.data(), waits.size(), MillisUntil(end));
    if (ready < 0 && errno != EINTR) return false;
    if (waits[1].revents != 0) out_open = ReadSome(out.read_end.get(), result.output);
    if (waits[2].revents != 0) err_open = ReadSome(err.read_end.get(), result.errors);
    if (waits[0].revents != 0 && waits[1].revents == 0 && waits[2].revents == 0) return true;
    if (waits[3].revents != 0 || std::chrono::steady_clock::now() >= end) return false;
  }
}

std::vector<std::string> EnvironmentWith(const ScriptRequest& request) {
  std::vector<std::string> environment;
  for (char** at = environ; *at != nullptr; ++at) {
    const std::string_view entry = *at;
    const bool is_replaced = std::ranges::any_of(
        request.variables, [&](const auto& variable) { return entry.starts_with(variable.first + "="); });
    if (!is_replaced) environment.emplace_back(entry);
  }
  for (const auto& [name, value] : request.variables) environment.push_back(name + "=" + value);
  return environment;
}

}  // namespace

Result<ScriptResult> RunScript(const ScriptRequest& request) {
  HOWDAH_TRY(const auto input, InputFile(request.input));
  HOWDAH_TRY(auto out, MakePipe());
  HOWDAH_TRY(auto err, MakePipe());
  SpawnRequest spawn;
  spawn.program = "/bin/bash";
  spawn.argv = {"bash", "-c", request.script};
  spawn.environment = EnvironmentWith(request);
  spawn.directory = request.directory;
  spawn.stdin_fd = input.get();
  spawn.stdout_fd = out.write_end.get();
  spawn.stderr_fd = err.write_end.get();
  HOWDAH_TRY(auto child, SpawnOrError(spawn));
  out.write_end = files::Fd();
  err.write_end = files::Fd();
  ScriptResult result;
  const auto end = std::chrono::steady_clock::now() + request.limit;
  if (!ReadUntil(end, request.stop, child, out, err, result)) {
    result.timed_out = true;
    ::kill(-child.pid, SIGTERM);
    ReadUntil(std::chrono::steady_clock::now() + kTimeToTerminate, /*stop=*/-1, child, out, err, result);
    ::kill(-child.pid, SIGKILL);
  }
  result.status = WaitFor(child);
  return result;
}

std::string DescribeEnd(const ScriptRequest& request, const ScriptResult& result) {
  return result.timed_out ? "did not end within " + DurationToText(request.limit) : howdah::DescribeEnd(result.status);
}

Result<std::string> RunScriptForOutput(const std::string& name, const ScriptRequest& request) {
  constexpr size_t kShownErrors = 300;
  HOWDAH_TRY(auto result, RunScript(request));
  if (!result.timed_out && result.status.success()) return std::move(result.output);
  return Failed("the command `" + name + "` " + DescribeEnd(request, result) + ": " +
                OneLine(FirstLine(Trim(result.errors)), kShownErrors));
}

}  // namespace howdah::os::process
