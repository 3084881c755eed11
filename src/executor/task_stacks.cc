#include "task_stacks.h"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <optional>
#include <utility>

#include "howdah/base/exit_status.h"
#include "howdah/base/text.h"
#include "howdah/diagnosis/stacks.h"
#include "howdah/os/files/open_regular.h"
#include "howdah/os/process/inspect.h"
#include "howdah/os/process/tree.h"
#include "tool_run.h"

namespace howdah::executor {
namespace {

using namespace std::chrono_literals;

// A client waits 10 s for its answer.
constexpr auto kSampleLimit = 8s, kToolLimit = 5s;
constexpr auto kFaulthandlerPause = 100ms;
constexpr int kMostPauses = 20;
constexpr size_t kMostSampled = 64, kStacksLimit = 64 << 10;

struct Tool {
  std::string name;
  std::vector<std::string> argv;
  bool python = false;  // whether it prints Python frames
};

// The tools for one process, the best first.
std::vector<Tool> ToolsFor(pid_t pid, bool python, bool native) {
  const std::string number = std::to_string(pid);
  std::vector<Tool> tools;
  if (python && native) tools.push_back({"py-spy --native", {"py-spy", "dump", "--native", "--pid", number}, true});
  if (python) tools.push_back({"py-spy", {"py-spy", "dump", "--pid", number}, true});
  if (native) {
    tools.push_back({"eu-stack", {"eu-stack", "-p", number}});
    tools.push_back({"gdb", {"gdb", "-nx", "-batch", "-p", number, "-ex", "thread apply all backtrace"}});
  }
  return tools;
}

// Whether a tool has printed a stack.
bool HasStacks(const Tool& tool, const std::string& text) {
  return text.find(tool.python ? "Thread " : "#0 ") != std::string::npos;
}

// gdb writes about itself before the stacks.
std::string WithoutPreamble(const Tool& tool, const std::string& text) {
  const size_t threads = tool.argv.front() == "gdb" ? text.find("\nThread ") : std::string::npos;
  return threads == std::string::npos ? text : text.substr(threads + 1);
}

std::string LastLine(const std::string& text) {
  const std::string_view trimmed = Trim(text);
  return OneLine(trimmed.substr(trimmed.rfind('\n') + 1), 300);
}

class TaskStacksEndpoint final : public rpc::streams::RemoteEndpoint {
 public:
  TaskStacksEndpoint(boost::asio::io_context& loop, StackTarget target, const wire::Stacks& wanted, Handlers handlers)
      : target_(std::move(target)),
        wanted_(wanted),
        handlers_(std::move(handlers)),
        tool_(loop),
        limit_(loop),
        pause_(loop) {
    // Later, because the handlers may not be called within the constructor.
    boost::asio::post(loop, [this, alive = std::weak_ptr(alive_)] {
      if (!alive.expired()) Begin();
    });
  }

  void OnFrame(const wire::Frame&) override {}
  void OnClosed() override {
    alive_.reset();
    limit_.cancel();
    pause_.cancel();
    tool_.Cancel();
    if (const auto on_over = std::exchange(handlers_.on_over, nullptr)) on_over(true);  // may destroy *this
  }

 private:
  struct Process {
    pid_t pid = 0;
    std::optional<size_t> rank;
    os::process::ProcessFacts facts;
    std::vector<Tool> tools;
    size_t next_tool = 0;
    std::vector<std::string> failures;  // of the tools
    bool signalled = false;
  };

  void Begin();
  void Continue();
  bool SampleOne(Process& process);
  bool RunTool(Process& process);
  bool Signal(Process& process);
  void ReadFaulthandler(size_t offset, size_t seen, int pauses);
  void Add(const Process& process, const std::string& tool, std::string text);
  std::string ProblemOf(const Process& process, bool has_native) const;
  size_t StderrSize() const;

  StackTarget target_;
  wire::Stacks wanted_;
  Handlers handlers_;
  ToolRun tool_;
  boost::asio::steady_timer limit_, pause_;
  std::shared_ptr<char> alive_ = std::make_shared<char>();
  bool late_ = false;  // the limit of the whole sample is reached
  std::vector<Process> processes_;
  size_t current_ = 0;
  wire::TaskStacks result_;
};

void TaskStacksEndpoint::Begin() {
  limit_.expires_after(kSampleLimit);
  limit_.async_wait([this, alive = std::weak_ptr(alive_)](const boost::system::error_code& error) {
    if (error || alive.expired()) return;
    late_ = true;
    tool_.Kill();
  });
  result_.set_attempt(target_.attempt);
  for (const pid_t pid : os::process::Descendants(::getpid())) {
    const auto facts = os::process::InspectProcess(pid);
    if (!facts) continue;
    if (processes_.size() == kMostSampled) {
      result_.set_omitted(result_.omitted() + 1);
      continue;
    }
    const auto leader = std::find(target_.ranks.begin(), target_.ranks.end(), ::getpgid(pid));
    Process& process = processes_.emplace_back();
    process.pid = pid;
    if (leader != target_.ranks.end()) process.rank = static_cast<size_t>(leader - target_.ranks.begin());
    process.facts = *facts;
    process.tools = ToolsFor(pid, facts->python, wanted_.native());
  }
  Continue();
}

// Continues with the next tool or the next process, until one takes time.
void TaskStacksEndpoint::Continue() {
  for (; current_ < processes_.size(); ++current_) {
    Process& process = processes_[current_];
    if (!late_ && SampleOne(process)) return;
    if (late_) process.failures.push_back("the sample of the task took longer than 8 s");
    Add(process, "", "");
  }
  wire::Frame frame;
  *frame.mutable_stacks() = std::move(result_);
  handlers_.send(frame);
  alive_.reset();
  limit_.cancel();
  if (const auto on_over = std::exchange(handlers_.on_over, nullptr)) on_over(false);  // may destroy *this
}

// Returns whether something was started; its end calls Continue.
bool TaskStacksEndpoint::SampleOne(Process& process) {
  // A signal is better than a tool for native frames, and worse than a tool for Python frames.
  for (; process.next_tool < process.tools.size(); ++process.next_tool) {
    if (!process.tools[process.next_tool].python && Signal(process)) return true;
    if (RunTool(process)) return true;
  }
  return Signal(process);
}

bool TaskStacksEndpoint::RunTool(Process& process) {
  const Tool& tool = process.tools[process.next_tool];
  return tool_.Start(target_.path, tool.argv, kToolLimit, [this](const ToolRun::Output& output) {
    Process& sampled = processes_[current_];
    const Tool& ended = sampled.tools[sampled.next_tool++];
    if (output.killed && sampled.facts.state != 'T') ResumeAfterDebugger(sampled.pid);
    if (HasStacks(ended, output.out)) {
      Add(sampled, ended.name, WithoutPreamble(ended, output.out));
      ++current_;
    } else {
      const std::string line = LastLine(output.err);
      sampled.failures.push_back(ended.name + " " +
                                 (output.killed  ? "took too long"
                                  : line.empty() ? "printed no stack"
                                                 : "failed: " + line));
    }
    Continue();
  });
}

bool TaskStacksEndpoint::Signal(Process& process) {
  const int signal = wanted_.signal();
  if (signal == 0 || !process.facts.python || std::exchange(process.signalled, true)) return false;
  const auto fail = [&](const std::string& why) {
    process.failures.push_back(SignalName(signal) + " was not sent: " + why);
    return false;
  };
  if (signal == target_.stop_signal) return fail("the job stops its processes with this signal");
  if (!process.rank) return fail("the process belongs to no rank, so its stderr is unknown");
  const auto facts = os::process::InspectProcess(process.pid);
  if (!facts || !facts->Catches(signal)) return fail("the program has not registered faulthandler for it");
  const size_t offset = StderrSize();
  ::kill(process.pid, signal);
  ReadFaulthandler(offset, offset, 0);
  return true;
}

// Waits until the stack in the stderr does not grow any more.
void TaskStacksEndpoint::ReadFaulthandler(size_t offset, size_t seen, int pauses) {
  pause_.expires_after(kFaulthandlerPause);
  pause_.async_wait([=, this, alive = std::weak_ptr(alive_)](const boost::system::error_code& error) {
    if (error || alive.expired()) return;
    Process& process = processes_[current_];
    const size_t size = StderrSize();
    const auto text =
        size > offset ? os::files::ReadTail(target_.stderrs[*process.rank], size - offset) : Result<std::string>("");
    const bool has_stack = text.ok() && !diagnosis::StackLocation(*text).empty();
    if ((!has_stack || size > seen) && pauses < kMostPauses) return ReadFaulthandler(offset, size, pauses + 1);
    if (has_stack) {
      Add(process, "faulthandler", *text);
      ++current_;
    } else {
      process.failures.push_back(SignalName(wanted_.signal()) +
                                 " was sent, and the program printed no stack to its stderr within 2 s");
    }
    Continue();
  });
}

void TaskStacksEndpoint::Add(const Process& process, const std::string& tool, std::string text) {
  const bool has_python = !tool.empty() && (tool.starts_with("py-spy") || tool == "faulthandler");
  wire::ProcessStacks& stacks = *result_.add_processes();
  stacks.set_pid(process.pid);
  if (process.rank) stacks.set_local_rank(static_cast<int>(*process.rank));
  stacks.set_state(process.facts.Text());
  stacks.set_tool(tool);
  if (text.size() > kStacksLimit) text = text.substr(0, kStacksLimit) + "\n[cut after 64 KiB]\n";
  stacks.set_stacks(std::move(text));
  if (!has_python && (process.facts.python || tool.empty())) stacks.set_problem(ProblemOf(process, !tool.empty()));
}

std::string TaskStacksEndpoint::ProblemOf(const Process& process, bool has_native) const {
  std::string problem = has_native ? "only native frames" : "no stack";
  if (!process.failures.empty()) {
    problem += ": " + Join(process.failures, "; ");
    const bool denied = std::any_of(process.failures.begin(), process.failures.end(), [](const std::string& failure) {
      return failure.find("ermission denied") != std::string::npos ||
             failure.find("not permitted") != std::string::npos;
    });
    if (denied) problem += "; the node forbids tracing (kernel.yama.ptrace_scope, or a container without SYS_PTRACE)";
    return problem;
  }
  if (process.facts.python) {
    return problem +
           ": py-spy is not in the PATH of the task; install it there with `pip install py-spy`, or name the signal "
           "for "
           "which the program has registered faulthandler (--signal USR1)";
  }
  if (!wanted_.native()) return problem + ": the program is not Python; request its native frames (--native)";
  return problem + ": neither eu-stack nor gdb is in the PATH of the task";
}

size_t TaskStacksEndpoint::StderrSize() const {
  struct stat info {};
  const std::string& path = target_.stderrs[*processes_[current_].rank];
  return ::stat(path.c_str(), &info) == 0 ? static_cast<size_t>(info.st_size) : 0;
}

}  // namespace

std::unique_ptr<rpc::streams::RemoteEndpoint> SampleTaskStacks(boost::asio::io_context& loop, StackTarget target,
                                                               const wire::Stacks& wanted,
                                                               rpc::streams::RemoteEndpoint::Handlers handlers) {
  return std::make_unique<TaskStacksEndpoint>(loop, std::move(target), wanted, std::move(handlers));
}

}  // namespace howdah::executor
