// The application master under simulation: the ledger, the log from which the next AM restores it, and an older copy of
// this log, for an AM that does not have the log.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "checker.h"
#include "howdah/feed/ledger.h"
#include "howdah/feed/log_tail.h"
#include "world.h"

namespace howdah::testing::feed_sim {

// The records that one AM has written or restored, by their numbers. Orders that are under way refer to it.
struct LogBranch {
  int64_t term = 0;
  int64_t first = 0;
  std::vector<std::string> records = {};

  int64_t end() const { return first + static_cast<int64_t>(records.size()); }
};

// The records that one executor has got.
struct ExecutorTail {
  int rank = 0;
  bool alive = true;
  bool missed = false;  // an AM did not reach the executor, and may have lost records of this tail
  feed::LogTail kept = {};

  // A message brings the records that are missing, up to the one with this number.
  void Take(const LogBranch& branch, int64_t end);
};

class SimAm {
 public:
  // Parts of the simulation with which the AM communicates.
  class Peers {
   public:
    virtual ~Peers() = default;
    virtual void Perform(const feed::Action& action) = 0;
    // The connections to another AM are up.
    virtual void Reconnect() = 0;
    // The AM does not accept the reader of this rank, and its process fails.
    virtual void Fail(int rank) = 0;
    // Actions were performed, so answers to sources may have changed.
    virtual void AskAgain() = 0;
  };

  SimAm(World& world, Checker& checker, Peers& peers);

  // Returns whether the event is in the log; false if no AM runs.
  bool Deliver(const feed::Event& event);
  // Delivers the event as soon as an AM runs, and then calls `then`. The event cannot be lost any more.
  void Call(const feed::Event& event, const std::function<void()>& then);
  // The same for an event of the job itself. If the log loses it, the next AM knows it from the log of the job.
  void CallForJob(feed::Event event, const std::function<void()>& then);
  // Kills the AM. Another one restores the ledger from the log.
  void Die();
  // The job has ended, and another one has begun, with an empty ledger. No effect if no AM runs.
  void BeginAnotherJob();
  std::string PointAt(int64_t step) const { return ledger_->PointAt(step); }
  // nullopt if no AM runs.
  std::optional<feed::Answer> Ask(int64_t pass, feed::PartitionId partition, int near) const;
  int64_t incarnation(int rank) const { return ledger_->incarnation(rank); }
  feed::Progress progress() const { return ledger_->progress(); }
  int events() const { return events_; }
  // The number of the AM that runs, or of the time without one. A message of an earlier connection has another number,
  // and is lost.
  int instance() const { return instance_; }
  const std::shared_ptr<LogBranch>& branch() const { return branch_; }
  // An executor begins.
  std::shared_ptr<ExecutorTail> AddTail(int rank);

 private:
  // The copy of the log on another machine.
  struct Copy {
    std::vector<std::string> log;
    int64_t records = 0;  // that follow from it
    std::vector<feed::LogTerm> terms;
  };

  void Log(std::string record);
  void BeginTerm(int64_t term);
  void MakeCopy();
  // Something that the AM has confirmed is in its log: all executors get its records.
  void Share();
  // The executors that an AM without the log of the dead one reaches: all of them, or all but one.
  std::vector<std::shared_ptr<ExecutorTail>> Reached();
  // Finds the executors of `reached` that have seen records that are lost, and adds their ranks to outdated_.
  void FindOutdated(const std::vector<std::shared_ptr<ExecutorTail>>& reached);
  // Returns the number of the records that are not lost. nullopt: all executors that have got something that the AM has
  // confirmed are lost, too. No report of it would follow, so this AM continues with the whole log.
  std::optional<int64_t> RestoreWithoutLog();
  void Restore();
  void Perform(const std::vector<feed::Action>& actions);
  void Arm();

  World& world_;
  Checker& checker_;
  Peers& peers_;
  std::optional<feed::Ledger> ledger_;  // always set
  std::vector<std::string> log_;
  std::shared_ptr<LogBranch> branch_;
  std::vector<feed::LogTerm> terms_;
  Copy copy_;
  std::vector<std::shared_ptr<ExecutorTail>> tails_;
  std::vector<int> outdated_;                                // ranks that the next AM does not accept
  int64_t confirmed_ = 0;                                    // the number of records of which something was confirmed
  std::vector<std::pair<int64_t, feed::Event>> job_events_;  // with the numbers of their records
  std::string last_snapshot_;                                // when the AM died
  bool alive_ = true, log_lost_ = false;
  int instance_ = 0;
  int events_ = 0;
  int alarm_ = 0;
};

}  // namespace howdah::testing::feed_sim
