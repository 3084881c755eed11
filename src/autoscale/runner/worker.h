// A thread that waits for the cluster or the provider.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace howdah::autoscale::runner {

// Runs jobs on a thread of its own, one after the other. The destructor drops the jobs that have not begun, and waits
// for the one that has.
class Worker {
 public:
  Worker();
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  void Do(std::function<void()> job);
  // Whether all jobs have ended.
  bool idle();

 private:
  void Loop();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> jobs_;
  bool busy_ = false, stops_ = false;
  std::thread thread_;  // the last member: it uses the others
};

}  // namespace howdah::autoscale::runner
