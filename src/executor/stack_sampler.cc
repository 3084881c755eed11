#include "stack_sampler.h"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "howdah/diagnosis/stacks.h"
#include "howdah/os/files/files.h"
#include "howdah/os/files/open_regular.h"
#include "howdah/os/process/inspect.h"
#include "howdah/os/process/tree.h"

namespace howdah::executor {
namespace {

using namespace std::chrono_literals;

constexpr size_t kMostProcesses = 64, kMostDumped = 16;
constexpr size_t kMostRanksNamed = 4;
constexpr size_t kStackLimit = 64 << 10;
constexpr auto kPySpyLimit = 5s;
constexpr auto kFaulthandlerLimit = 500ms;  // sufficient, because faulthandler writes within the signal handler

size_t SizeOrZero(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 ? static_cast<size_t>(info.st_size) : 0;
}

std::string ReadFrom(const std::string& path, size_t offset) {
  const size_t size = SizeOrZero(path);
  if (size <= offset) return "";
  auto tail = os::files::ReadTail(path, size - offset);
  if (!tail) return "";
  if (tail->size() > kStackLimit) tail->resize(kStackLimit);
  return std::move(*tail);
}

void Append(const std::string& path, const std::string& line) {
  const auto file = os::files::OpenForAppend(path);
  // Ignore a write error: a full disk must not prevent the sample.
  if (file.ok()) (void)os::files::AppendLine(file->get(), line, "stderr").ok();
}

}  // namespace

void StackSampler::Sample(Request request, std::function<void(const std::string&)> done) {
  request_ = std::move(request);
  done_ = std::move(done);
  locations_.assign(request_.ranks.size(), {});
  waiting_.clear();
  std::vector<pid_t> pids = os::process::Descendants(::getpid());
  if (pids.size() > kMostProcesses) pids.resize(kMostProcesses);
  for (const pid_t pid : pids) {
    const auto facts = os::process::InspectProcess(pid);
    const auto leader = std::find(request_.ranks.begin(), request_.ranks.end(), ::getpgid(pid));
    const size_t rank = leader == request_.ranks.end() ? 0 : static_cast<size_t>(leader - request_.ranks.begin());
    if (!facts || rank >= locations_.size()) continue;
    Append(request_.stderrs[rank], "howdah: " + request_.why + ": pid " + std::to_string(pid) + ": " + facts->Text());
    // Describe a rank by its first Python process. If there is none, describe it by its last process, because the first
    // one is usually a shell.
    Location& location = locations_[rank];
    if (!location.is_python) location = {facts->Text() + " (pid " + std::to_string(pid) + ")", facts->python, false};
    if (facts->python && waiting_.size() < kMostDumped) waiting_.push_back({pid, rank, facts->state == 'T'});
  }
  SampleNext();
}

void StackSampler::FinishEarly() {
  waiting_.clear();
  py_spy_.Kill();
}

void StackSampler::Cancel() {
  done_ = nullptr;
  waiting_.clear();
  limit_.cancel();
  py_spy_.Cancel();
}

void StackSampler::SampleNext() {
  while (!waiting_.empty()) {
    const PythonProcess process = waiting_.front();
    waiting_.pop_front();
    offset_ = SizeOrZero(request_.stderrs[process.rank]);
    if (RunPySpy(process) || SignalFaulthandler(process)) return;
  }
  Finish();
}

void StackSampler::Finish() {
  std::string text;
  size_t named = 0;
  for (size_t rank = 0; rank < locations_.size() && named < kMostRanksNamed; ++rank) {
    if (locations_[rank].text.empty()) continue;
    if (++named > 1) text += "; ";
    if (locations_.size() > 1) text += "local rank " + std::to_string(rank) + ": ";
    text += locations_[rank].text;
  }
  if (const auto done = std::exchange(done_, nullptr)) done(text);
}

bool StackSampler::RunPySpy(const PythonProcess& process) {
  return py_spy_.Start(request_.path, {"py-spy", "dump", "--pid", std::to_string(process.pid)}, kPySpyLimit,
                       [this, process](const ToolRun::Output& output) {
                         if (output.killed && !process.stopped) ResumeAfterDebugger(process.pid);
                         Append(request_.stderrs[process.rank], output.out + output.err);
                         OnDumped(process, true);
                       });
}

bool StackSampler::SignalFaulthandler(const PythonProcess& process) {
  const auto facts = os::process::InspectProcess(process.pid);
  if (!facts) return false;
  for (const int signal : {SIGUSR1, SIGUSR2}) {
    if (!facts->Catches(signal)) continue;
    ::kill(process.pid, signal);
    limit_.expires_after(kFaulthandlerLimit);
    limit_.async_wait([this, process](const boost::system::error_code& error) {
      if (!error) OnDumped(process, false);
    });
    return true;
  }
  return false;
}

void StackSampler::OnDumped(const PythonProcess& process, bool by_py_spy) {
  const std::string stack = diagnosis::StackLocation(ReadFrom(request_.stderrs[process.rank], offset_));
  Location& location = locations_[process.rank];
  if (!stack.empty() && !location.is_stack) location = {stack, true, true};
  if (stack.empty() && by_py_spy && SignalFaulthandler(process)) return;
  SampleNext();
}

}  // namespace howdah::executor
