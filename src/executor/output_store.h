// Stores the outputs and the logs of a task with the job, before its executor exits.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <thread>

#include "task_plan.h"

namespace howdah::executor {

// Used on the executor's loop. Files are stored on a separate thread.
class OutputStore {
 public:
  explicit OutputStore(boost::asio::io_context& loop) : loop_(loop) {}
  ~OutputStore();

  // The logs are to be stored in any case, because the node leaves the cluster.
  void KeepLogs() { keeps_logs_ = true; }
  // The outputs are not to be stored, because the task goes on in another container.
  void DropOutputs() { drops_outputs_ = true; }
  // Begins to store the files. Returns false if there is nothing to store, or if an earlier call has begun. Otherwise
  // calls `done` on the loop's thread when they are stored. Errors are logged.
  bool Begin(const TaskPlan& plan, std::function<void()> done);
  // Whether files are being stored now.
  bool running() const { return thread_.joinable(); }

 private:
  boost::asio::io_context& loop_;
  std::thread thread_;
  bool begun_ = false, keeps_logs_ = false, drops_outputs_ = false;
};

}  // namespace howdah::executor
