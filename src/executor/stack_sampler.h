// Samples the stacks of a task's processes and writes them to the stderr files of the processes.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "tool_run.h"

namespace howdah::executor {

// Writes the kernel's information about every process. Gets the stack of a Python program from py-spy if py-spy is in
// the task's PATH. Otherwise gets it from faulthandler, if the program has registered faulthandler for SIGUSR1 or
// SIGUSR2. Sends a signal only to processes that handle it. Every step has a time limit.
//
// Works asynchronously, on the executor's loop.
class StackSampler {
 public:
  explicit StackSampler(boost::asio::io_context& loop) : py_spy_(loop), limit_(loop) {}

  struct Request {
    std::vector<pid_t> ranks;          // pids by local rank
    std::vector<std::string> stderrs;  // paths, parallel to ranks
    std::string path;                  // the PATH in which py-spy is looked up
    std::string why;  // why the stacks are sampled: a clause for the beginning of each line, such as "no activity"
  };
  // done receives the stack locations as a clause, which is empty if they are unknown. It is not called after Cancel.
  // Start a sample only when no other one is in progress.
  void Sample(Request request, std::function<void(const std::string& locations)> done);
  // Skips the remaining processes; `done` is still called.
  void FinishEarly();
  void Cancel();
  bool sampling() const { return done_ != nullptr; }

 private:
  struct PythonProcess {
    pid_t pid = 0;
    size_t rank = 0;
    bool stopped = false;  // by a signal, before the sample
  };
  struct Location {
    std::string text;
    bool is_python = false, is_stack = false;
  };
  void SampleNext();
  void Finish();
  bool RunPySpy(const PythonProcess& process);
  bool SignalFaulthandler(const PythonProcess& process);
  void OnDumped(const PythonProcess& process, bool by_py_spy);

  Request request_;
  std::function<void(const std::string&)> done_;  // empty when no sample is in progress
  std::deque<PythonProcess> waiting_;
  std::vector<Location> locations_;  // indexed by local rank
  size_t offset_ = 0;                // the position in the rank's stderr file at which the stack begins
  ToolRun py_spy_;
  boost::asio::steady_timer limit_;
};

}  // namespace howdah::executor
