// The feeds of the job: one ledger per feed, except for feeds with answers, its log, and the messages about it from and
// to executors.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "feed_tails.h"
#include "howdah/base/ids.h"
#include "howdah/base/result.h"
#include "howdah/core/action.h"
#include "howdah/core/event.h"
#include "howdah/core/job.h"
#include "howdah/jobspec/job_spec.h"
#include "howdah/journal/job_view.h"
#include "howdah/os/process/clock.h"
#include "howdah/wire/executor.pb.h"

namespace howdah::am {

class AnsweredFeed;
class LiveFeed;

// Call it only on the thread of the AM's loop. A feed that fails does not end the job: its readers raise an error.
//
// A reader is one process of a task. Its number is its position in the order of role, slot and local rank. If the
// readers of a feed restart alone, each role has numbers for its largest number of tasks. Otherwise a new generation of
// readers is formed when the job forms one, and when a task starts for the second time in a generation.
class Feeds {
 public:
  struct Wires {
    // Sends a message to the executor of the container; no effect if it is not connected.
    std::function<void(const ContainerId&, const wire::ToExecutor&)> order;
    std::function<std::string(const std::string& feed)> token;  // as FeedToken
    std::function<void()> locations_changed;                    // the results of Locations may have changed
    std::function<void(const Error&)> fail;                     // a log cannot be written: the AM cannot continue
  };
  // spec and clock must live longer than this object. directory: of the logs, with a slash at the end; "" for the
  // current directory. longest_wait: how long the question of a source waits for an answer.
  // moves: another AM of this job may run without the logs of this one, so executors keep their tails.
  Feeds(boost::asio::io_context& loop, const jobspec::JobSpec& spec, const os::process::Clock& clock,
        std::string directory, Wires wires, bool moves, Duration longest_wait = std::chrono::seconds(10));
  ~Feeds();

  // Opens the logs. Call it before all other calls. resumes: whether Replay and Resume follow.
  Status Open(bool resumes);

  // --- the life cycle of the job ---

  // During a resume: an event of the previous AM, and a start that it had ordered. peers: of the same step.
  void Replay(const core::Event& event);
  void Replay(const core::StartTask& order, const core::PeerGroup& peers);
  // Ends the resume. from_copy: the logs are copies from another node, and may lack their last records. The feeds then
  // wait until the executors have sent the tails that they keep. If records are still missing, the readers that have
  // seen their effects fail, so that their tasks restart from a commit that the log has.
  Status Resume(bool from_copy);
  // Call it before the order is sent. Returns the readers of the attempt, for the order.
  std::vector<wire::FeedReaders> Start(const core::StartTask& order, const core::PeerGroup& peers);
  // Call it when the order has been sent: sends the orders of the ledgers.
  void Started(const core::StartTask& order);
  // Call it for the events of executors. Only ends of processes have an effect.
  void OnEvent(const core::Event& event);
  // Adds to the failure of a process that reads a feed that has failed that a restart would not help: the feed gives
  // the same error to each new process.
  void AddNoRestart(core::Event& event) const;
  // Call it at the end of each pass of the job's loop. ending: the job has begun to end.
  void OnPassDone(const journal::JobView& view, bool ending);
  // The job has ended: removes the logs.
  void Finish();

  // --- executors ---

  void OnConnected(const ContainerId& container);
  void OnDisconnected(const ContainerId& container);
  // Legal during a resume, too.
  void OnContainerGone(const ContainerId& container);
  // Handles FeedServes, FeedEvent and FeedCall. Returns false for any other message.
  bool OnMessage(const ContainerId& container, const wire::FromExecutor& message);

  // --- clients ---

  // As FeedRequests::Ports. The feeds must be in the job file.
  Result<std::vector<std::string>> Locations(const std::string& feed) const;
  void Close(const std::string& feed, const std::function<void(Status)>& done);
  // In the order of the job file.
  std::vector<journal::FeedView> View() const;

 private:
  // nullptr: the job has no such feed, or it has answers.
  LiveFeed* Find(const std::string& name) const;
  // nullptr: the job has no such feed, or it has no answers.
  AnsweredFeed* FindAnswered(const std::string& name) const;
  void NoteEnd(const core::Event& event);
  // A number that is larger than those of the terms before.
  int64_t NewTerm() const { return clock_.Now().time_since_epoch().count(); }
  // Ends the wait for tails: continues with all records that are known.
  Status Recover();
  // The same, if the wait is over.
  void RecoverIfComplete();
  void Turn();
  void Arm();

  boost::asio::io_context& loop_;
  const jobspec::JobSpec& spec_;
  const os::process::Clock& clock_;
  const std::string directory_;
  const Wires wires_;
  const bool moves_;
  const Duration longest_wait_;
  std::vector<std::unique_ptr<LiveFeed>> feeds_;  // in the order of the job file
  std::vector<std::unique_ptr<AnsweredFeed>> answered_;
  FeedTails tails_;
  std::unordered_map<ContainerId, wire::FeedServes> places_;
  std::unique_ptr<FeedRecovery> recovery_;  // while the feeds wait for tails
  boost::asio::steady_timer timer_;
  std::optional<Instant> armed_;
  bool turn_posted_ = false;
  bool replaying_ = false;  // until Resume has ended, also while the feeds wait for tails
};

}  // namespace howdah::am
