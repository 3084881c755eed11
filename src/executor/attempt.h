// One attempt of the task: its processes and all their descendants.
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
// When the last rank has ended by itself, its descendants are killed at once. After a Stop, all members of the ranks'
// process groups receive the signal and keep the whole grace: a shell dies of the signal while its child is still
// saving a checkpoint.
//
// On the executor's loop. The executor, a subreaper, reaps: it passes on every child that has ended (OnReaped), then
// calls Advance.
class Attempt {
 public:
  struct Handlers {
    std::function<void(int local_rank, const ExitStatus& status)> on_rank_exited;
    std::function<void()> on_ended;  // last; no process of the attempt is left. May destroy the Attempt
  };
  Attempt(boost::asio::io_context& loop, int number, int stop_signal, Handlers handlers);

  // Starts the process of the next local rank.
  std::optional<os::process::SpawnError> Spawn(const os::process::SpawnRequest& request);

  // A process that another task has started here (mpirun's daemon). The other task stops it, so it receives no stop
  // signal; but it keeps the grace, and does not outlive the attempt.
  void AddGuest(pid_t pid) { guests_.push_back(pid); }

  // Sends the stop signal now, and SIGKILL after the grace. Extend may restart the grace until limit, if that is
  // longer, has passed. A further call can only shorten either.
  void Stop(Duration grace, Duration limit = Duration(0));
  // The attempt is still saving a checkpoint: restarts the grace, within the limit. false: the attempt is not stopping,
  // or the limit is reached.
  bool Extend();

  void OnReaped(const os::process::Reaped& child);
  // To be called after OnReaped.
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
  TimePoint kill_by_;                 // upper bound of kill_at_
  Duration grace_{};                  // of the first Stop
  bool killing_ = false;
  bool ended_ = false;
  boost::asio::steady_timer kill_timer_;
};

}  // namespace howdah::executor
