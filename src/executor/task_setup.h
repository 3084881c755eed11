// Prepares a task before its first attempt.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <optional>
#include <thread>

#include "howdah/os/process/ports.h"
#include "task_plan.h"

namespace howdah::executor {

// Used on the executor's loop only.
class TaskSetup {
 public:
  explicit TaskSetup(boost::asio::io_context& loop) : loop_(loop) {}
  ~TaskSetup();

  // Completes a plan that already has the options, the task's index and its port.
  Status ReadJob(TaskPlan& plan);
  // Fills the working directory. If the job brings files, this happens on another thread, because copying may take
  // long. `done` is called on the loop. plan must not change before `done` is called.
  void FillWorkDirectory(const TaskPlan& plan, std::function<void(const Status&)> done);

 private:
  boost::asio::io_context& loop_;
  std::optional<os::process::PortReservation> tensorboard_port_;
  std::thread filling_;
};

}  // namespace howdah::executor
