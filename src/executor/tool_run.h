// Runs a program of the task's PATH with a time limit, and collects its output.
#pragma once

#include <sys/types.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "howdah/base/time.h"
#include "howdah/os/files/fd.h"

namespace howdah::executor {

// One program at a time. Used on the executor's loop only. The executor reaps the program, as it does all children.
class ToolRun {
 public:
  struct Output {
    std::string out, err;
    bool killed = false;  // by Kill, or because of the limit
  };
  explicit ToolRun(boost::asio::io_context& loop) : ended_(loop), limit_(loop) {}
  ~ToolRun() { Cancel(); }

  // Looks argv[0] up in `path`. Returns false, and does not call `done`, if it is not there or cannot be started.
  bool Start(const std::string& path, const std::vector<std::string>& argv, Duration limit,
             std::function<void(Output output)> done);
  // Kills the program; `done` follows.
  void Kill();
  // Kills the program and does not call `done`.
  void Cancel();
  // The program from its start until `done`; -1 if there is none.
  pid_t pid() const { return pid_; }

 private:
  void OnEnded();

  boost::asio::posix::stream_descriptor ended_;  // a pidfd
  boost::asio::steady_timer limit_;
  std::shared_ptr<char> alive_;  // belongs to the present program; null when no handler may act any more
  pid_t pid_ = -1;
  bool killed_ = false;
  os::files::Fd out_, err_;
  std::function<void(Output)> done_;
};

// Resumes a process that a killed debugger may have left stopped: the stop with which a debugger attaches can arrive
// after its death. Call it only for a process that was not stopped before.
void ResumeAfterDebugger(pid_t pid);

}  // namespace howdah::executor
