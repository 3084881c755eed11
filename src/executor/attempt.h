// One attempt of the task: its processes and all their descendants.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <optional>
#include <vector>

#include "howdah/base/exit_status.h"
#include "howdah/base/time.h"
#include "howdah/os/process/clock.h"
#include "howdah/os/process/spawn.h"
#include "howdah/os/process/tree.h"

namespace howdah::executor {

//  running ----Stop----> stopping ---grace over---> killing
//     |                     |                          |
//     | all ranks ended     | groups empty             | nothing left
//     +---------------------+---------> killing -------+----> ended
//
// When the last rank has ended by itself, the remaining descendants are killed immediately. After a Stop, all members
// of the ranks' process groups receive the signal, and have the whole grace to end: a shell dies of the signal
// immediately, but its child may still be saving a checkpoint.
//
// Used on the executor's loop only. The executor is a subreaper and reaps all children. It passes every ended child to
// OnReaped, then calls Advance.
class Attempt {
 public:
  struct Handlers {
    std::function<void(int local_rank, const ExitStatus& status)> on_rank_exited;
    std::function<void()> on_ended;  // called last, when no process of the attempt is left; may destroy the Attempt
  };
  // clock must live longer than this object.
  Attempt(boost::asio::io_context& loop, const os::process::Clock& clock, int number, int stop_signal,
          Handlers handlers);

  // Starts the process of the next local rank.
  std::optional<os::process::SpawnError> Spawn(const os::process::SpawnRequest& request);

  // Adds a process that another task has started here (mpirun's daemon). That other task stops the process, so Stop
  // sends it no signal. The process keeps the grace, and is killed at the end of the attempt.
  void AddGuest(pid_t pid) { guests_.push_back(pid); }

  // Sends the stop signal now, and SIGKILL after the grace. If `limit` is longer than the grace, Extend may restart the
  // grace until `limit` has passed. A second call can only shorten the grace and the limit.
  void Stop(Duration grace, Duration limit = Duration(0));
  // Restarts the grace, within the limit, because the attempt is still saving a checkpoint. Returns false if the
  // attempt is not being stopped, or if the limit is reached.
  bool Extend();

  void OnReaped(const os::process::Reaped& child);
  // Call it after OnReaped, once all ended children have been passed to OnReaped.
  void Advance();

  int number() const { return number_; }
  bool stopping() const { return kill_at_.has_value(); }
  const std::vector<pid_t>& pids() const { return pids_; }  // indexed by local rank

 private:
  void SendStopSignal() const;
  void KillAt(Instant at);
  void Kill();

  const os::process::Clock& clock_;
  int number_;
  int stop_signal_;
  Handlers handlers_;
  std::vector<pid_t> pids_;
  std::vector<bool> living_;  // parallel to pids_
  std::vector<pid_t> guests_;
  std::optional<Instant> kill_at_;  // when SIGKILL is due; set once the attempt is being stopped
  Instant kill_by_;                 // the upper limit for kill_at_
  Duration grace_{};                // the grace of the first Stop
  bool killing_ = false;
  bool ended_ = false;
  boost::asio::steady_timer kill_timer_;
};

}  // namespace howdah::executor
