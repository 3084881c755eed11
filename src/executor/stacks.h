// Where the processes of a task stand: written into their stderr, for who wonders why nothing goes on.
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

// On the executor's loop; nothing waits for it. Of every process the kernel's facts are written. The stack of a Python
// program is asked of py-spy if the task's PATH has one, else of faulthandler if the program has registered it for
// SIGUSR1 or SIGUSR2: no signal is sent to a process that would die of it. Each question has a limit.
class Stacks {
 public:
  explicit Stacks(boost::asio::io_context& loop) : ended_(loop), patience_(loop) {}

  struct Request {
    std::vector<pid_t> ranks;          // the processes that were started, by local rank
    std::vector<std::string> stderrs;  // beside ranks
    std::string path;                  // where py-spy is looked for
    std::string why;                   // a clause, in front of each line: "no sign of life"
  };
  // done: where they stand, a clause; empty: nothing of them could be seen. One at a time; not after Cancel.
  void Collect(Request request, std::function<void(const std::string& where)> done);
  // Who is to be told is told what is known by now, as soon as the question under way has ended.
  void Hurry();
  void Cancel();
  bool collecting() const { return done_ != nullptr; }

 private:
  struct Asked {
    pid_t pid = 0;
    size_t rank = 0;
  };
  struct Where {
    std::string text;
    bool is_python = false, is_stack = false;
  };
  void AskNext();
  bool AskPySpy(const Asked& asked);
  bool AskFaulthandler(const Asked& asked);
  void Answered(const Asked& asked, bool by_spy);

  Request request_;
  std::function<void(const std::string&)> done_;  // empty: nothing is being collected
  std::deque<Asked> waiting_;
  std::vector<Where> where_;  // by local rank
  size_t offset_ = 0;         // of the answer in the rank's stderr
  pid_t spy_ = -1;
  boost::asio::posix::stream_descriptor ended_;  // pidfd of py-spy
  boost::asio::steady_timer patience_;
};

}  // namespace howdah::executor
