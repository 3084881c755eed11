// The results of a task's processes (HOWDAH_RESULT), which are stored with the job.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <list>
#include <optional>
#include <string>
#include <thread>

#include "task_plan.h"

namespace howdah::executor {

// The value of HOWDAH_RESULT. The file is beside the working directory, in the directory of the progress files, and
// does not exist before the process creates it.
std::string ResultFile(const std::string& work_dir, int attempt, int local_rank);

// Stores each result before the end of its process is reported, so that a job whose end is visible has all its results.
// Uses one thread per result, until the result is stored.
class ResultStore {
 public:
  // The size of the stored result; nullopt if the process has none. An error states why the result cannot be stored, as
  // a clause: "its result of ... exceeds ...".
  using Stored = Result<std::optional<int>>;
  using Done = std::function<void(const Stored& stored)>;

  ResultStore(boost::asio::io_context& loop, const TaskPlan& plan) : loop_(loop), plan_(plan) {}
  ~ResultStore();

  // Call it when the process has ended. Calls `done` once, on the loop's thread. If there is nothing to store, calls it
  // before Store returns.
  void Store(const ProcessSlot& slot, Done done);
  // Whether results are being stored now.
  bool busy() const { return !threads_.empty(); }

 private:
  boost::asio::io_context& loop_;
  const TaskPlan& plan_;
  std::list<std::thread> threads_;
};

}  // namespace howdah::executor
