#include "stacks.h"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "howdah/diagnosis/stacks.h"
#include "howdah/os/files/files.h"
#include "howdah/os/process/inspect.h"
#include "howdah/os/process/spawn.h"
#include "howdah/os/process/tree.h"

namespace howdah::executor {
namespace {

using namespace std::chrono_literals;

constexpr size_t kMostProcesses = 64, kMostAsked = 16;
constexpr size_t kMostRanksNamed = 4;
constexpr size_t kAnswerLimit = 64 << 10;
constexpr auto kSpyLimit = 5s;
constexpr auto kFaulthandlerLimit = 500ms;  // it writes from a signal handler: if at all, at once

size_t SizeOrZero(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 ? static_cast<size_t>(info.st_size) : 0;
}

std::string ReadFrom(const std::string& path, size_t offset) {
  const size_t size = SizeOrZero(path);
  if (size <= offset) return "";
  auto tail = os::files::ReadTail(path, size - offset);
  if (!tail) return "";
  if (tail->size() > kAnswerLimit) tail->resize(kAnswerLimit);
  return std::move(*tail);
}

void Append(const std::string& path, const std::string& line) {
  const auto file = os::files::OpenForAppend(path);
  // What cannot be written is not worth more than what hangs.
  if (file.ok()) (void)os::files::AppendLine(file->get(), line, "stderr").ok();
}

}  // namespace

void Stacks::Collect(Request request, std::function<void(const std::string&)> done) {
  request_ = std::move(request);
  done_ = std::move(done);
  where_.assign(request_.ranks.size(), {});
  waiting_.clear();
  std::vector<pid_t> pids = os::process::Descendants(::getpid());
  if (pids.size() > kMostProcesses) pids.resize(kMostProcesses);
  for (const pid_t pid : pids) {
    const auto facts = os::process::InspectProcess(pid);
    const auto leader = std::find(request_.ranks.begin(), request_.ranks.end(), ::getpgid(pid));
    const size_t rank = leader == request_.ranks.end() ? 0 : static_cast<size_t>(leader - request_.ranks.begin());
    if (!facts || rank >= where_.size()) continue;
    Append(request_.stderrs[rank], "howdah: " + request_.why + ": pid " + std::to_string(pid) + ": " + facts->Text());
    // A Python program is what its shell waits for, and what its own children work for; else the last of a chain.
    Where& where = where_[rank];
    if (!where.is_python) where = {facts->Text() + " (pid " + std::to_string(pid) + ")", facts->python, false};
    if (facts->python && waiting_.size() < kMostAsked) waiting_.push_back({pid, rank});
  }
  AskNext();
}

void Stacks::Hurry() {
  waiting_.clear();
  if (spy_ > 0) ::kill(-spy_, SIGKILL);
}

void Stacks::Cancel() {
  done_ = nullptr;
  waiting_.clear();
  patience_.cancel();
  ended_.close();
  if (spy_ > 0) ::kill(-std::exchange(spy_, -1), SIGKILL);
}

void Stacks::AskNext() {
  while (!waiting_.empty()) {
    const Asked asked = waiting_.front();
    waiting_.pop_front();
    offset_ = SizeOrZero(request_.stderrs[asked.rank]);
    if (AskPySpy(asked) || AskFaulthandler(asked)) return;
  }
  std::string text;
  size_t named = 0;
  for (size_t rank = 0; rank < where_.size() && named < kMostRanksNamed; ++rank) {
    if (where_[rank].text.empty()) continue;
    if (++named > 1) text += "; ";
    if (where_.size() > 1) text += "local rank " + std::to_string(rank) + ": ";
    text += where_[rank].text;
  }
  if (const auto done = std::exchange(done_, nullptr)) done(text);
}

bool Stacks::AskPySpy(const Asked& asked) {
  const os::process::FoundCommand found = os::process::LookUpCommand("py-spy", request_.path, "/");
  const auto out = os::files::OpenForAppend(request_.stderrs[asked.rank]);
  if (found.error != 0 || !out.ok()) return false;
  os::process::SpawnRequest request;
  request.program = found.program;
  request.argv = {"py-spy", "dump", "--pid", std::to_string(asked.pid)};
  request.environment = {"PATH=" + request_.path};
  request.stdout_fd = request.stderr_fd = out->get();
  request.death_signal = SIGKILL;
  auto spawned = os::process::Spawn(request);
  auto* child = std::get_if<os::process::Child>(&spawned);
  if (child == nullptr) return false;
  spy_ = child->pid;
  ended_.assign(child->pidfd.Release());
  ended_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                    [this, asked](const boost::system::error_code& error) {
                      if (error) return;
                      spy_ = -1;
                      ended_.close();
                      patience_.cancel();
                      Answered(asked, true);
                    });
  patience_.expires_after(kSpyLimit);
  patience_.async_wait([this](const boost::system::error_code& error) {
    if (!error && spy_ > 0) ::kill(-spy_, SIGKILL);  // its end brings us on
  });
  return true;
}

bool Stacks::AskFaulthandler(const Asked& asked) {
  const auto facts = os::process::InspectProcess(asked.pid);
  if (!facts) return false;
  for (const int signal : {SIGUSR1, SIGUSR2}) {
    if (!facts->Catches(signal)) continue;
    ::kill(asked.pid, signal);
    patience_.expires_after(kFaulthandlerLimit);
    patience_.async_wait([this, asked](const boost::system::error_code& error) {
      if (!error) Answered(asked, false);
    });
    return true;
  }
  return false;
}

void Stacks::Answered(const Asked& asked, bool by_spy) {
  const std::string stack = diagnosis::WhereInStack(ReadFrom(request_.stderrs[asked.rank], offset_));
  Where& where = where_[asked.rank];
  if (!stack.empty() && !where.is_stack) where = {stack, true, true};
  if (stack.empty() && by_spy && AskFaulthandler(asked)) return;
  AskNext();
}

}  // namespace howdah::executor
