// Samples the stacks of a task's processes: what they are doing is written to their stderr.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "howdah/os/files/fd.h"

namespace howdah::executor {

// Writes the kernel's facts about every process. The stack of a Python program comes from py-spy if the task's PATH has
// it, else from faulthandler if the program has registered it for SIGUSR1 or SIGUSR2: a signal is sent only to
// processes with a handler for it. Every step has a time limit.
//
// On the executor's loop, asynchronously.
class StackSampler {
 public:
  explicit StackSampler(boost::asio::io_context& loop) : py_spy_ended_(loop), limit_(loop) {}

  struct Request {
    std::vector<pid_t> ranks;          // pids by local rank
    std::vector<std::string> stderrs;  // beside ranks
    std::string path;                  // where py-spy is looked up
    std::string why;                   // a clause, the prefix of each line: "no activity"
  };
  // done: receives the stack locations, a clause; empty: unknown. One sample at a time; not called after Cancel.
  void Sample(Request request, std::function<void(const std::string& locations)> done);
  // Skips the remaining processes.
  void FinishEarly();
  void Cancel();
  bool sampling() const { return done_ != nullptr; }

 private:
  struct PythonProcess {
    pid_t pid = 0;
    size_t rank = 0;
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
  std::function<void(const std::string&)> done_;  // empty: not sampling
  std::deque<PythonProcess> waiting_;
  std::vector<Location> locations_;  // by local rank
  size_t offset_ = 0;                // of the stack in the rank's stderr
  pid_t py_spy_ = -1;
  boost::asio::posix::stream_descriptor py_spy_ended_;  // pidfd
  boost::asio::steady_timer limit_;
};

}  // namespace howdah::executor
