// One attempt of the task: its processes, and whatever they start, from the first to the last.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <optional>
#include <vector>

#include "howdah/base/exit_status.h"
#include "howdah/base/time.h"
#include "howdah/os/process/spawn.h"
#include "howdah/os/process/tree.h"

namespace howdah::executor {

//  running ----Stop----> stopping ---grace over---> killing
//     |                     |                          |
//     | all ranks ended     | groups empty             | nothing left
//     +---------------------+---------> killing -------+----> ended
//
// When the last rank has ended by itself, what it left behind is killed at once. After a Stop the members of the ranks'
// process groups have got the signal and keep the whole grace: a shell dies of it while the program below it still
// saves its checkpoint.
//
// Owned by the executor, on its loop. The executor is a subreaper and reaps: it hands on every child that has ended
// (OnReaped), then calls Advance.
class Attempt {
 public:
  struct Handlers {
    std::function<void(int local_rank, const ExitStatus& status)> on_rank_exited;
    std::function<void()> on_ended;  // the last; nothing that the attempt started is left. May destroy the Attempt
  };
  Attempt(boost::asio::io_context& loop, int number, int stop_signal, Handlers handlers);

  // Starts the process of the next local rank.
  std::optional<os::process::SpawnError> Spawn(const os::process::SpawnRequest& request);

  // A child that was started into the attempt from outside: it is not told of a stop, as whoever started it does that,
  // but gets the grace, and is gone when the attempt has ended.
  void AddGuest(pid_t pid) { guests_.push_back(pid); }

  // The stop signal now, SIGKILL after the grace, which Extend may give anew until limit (if it is longer) has passed.
  // A further call can only shorten either.
  void Stop(Duration grace, Duration limit = Duration(0));
  // It is still saving its work: the grace begins anew, within the limit. false: it does not stop, or has no more.
  bool Extend();

  void OnReaped(const os::process::Reaped& child);
  // What follows from the children that have ended.
  void Advance();

  int number() const { return number_; }
  bool stopping() const { return kill_at_.has_value(); }
  const std::vector<pid_t>& pids() const { return pids_; }  // by local rank

 private:
  using TimePoint = std::chrono::steady_clock::time_point;
  void SendStopSignal() const;
  void KillAt(TimePoint at);
  void Kill();

  int number_;
  int stop_signal_;
  Handlers handlers_;
  std::vector<pid_t> pids_;
  std::vector<bool> living_;  // beside pids_
  std::vector<pid_t> guests_;
  std::optional<TimePoint> kill_at_;  // once stopping
  TimePoint kill_by_;                 // the latest that this may become
  Duration grace_{};                  // of the first Stop
  bool killing_ = false;
  bool ended_ = false;
  boost::asio::steady_timer patience_;
};

}  // namespace howdah::executor
