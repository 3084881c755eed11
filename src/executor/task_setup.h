// Prepares a task before its first attempt.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <optional>
#include <thread>

#include "howdah/os/process/ports.h"
#include "task_plan.h"

namespace howdah::executor {

// On the executor's loop.
class TaskSetup {
 public:
  explicit TaskSetup(boost::asio::io_context& loop) : loop_(loop) {}
  ~TaskSetup();

  // Completes a plan that has options, the task's index and its port.
  Status ReadJob(TaskPlan& plan);
  // Fills the working directory; on a thread of its own if the job brings files, because copying may take long. plan
  // must not change before done is called, on the loop.
  void FillWorkDirectory(const TaskPlan& plan, std::function<void(const Status&)> done);

 private:
  boost::asio::io_context& loop_;
  std::optional<os::process::PortReservation> tensorboard_port_;
  std::thread filling_;
};

}  // namespace howdah::executor
