// The application master under simulation: the ledger, and the log from which the next AM restores it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "checker.h"
#include "howdah/feed/ledger.h"
#include "world.h"

namespace howdah::testing::feed_sim {

class SimAm {
 public:
  // Parts of the simulation with which the AM communicates.
  class Peers {
   public:
    virtual ~Peers() = default;
    virtual void Perform(const feed::Action& action) = 0;
    // The connections to another AM are up.
    virtual void Reconnect() = 0;
    // Actions were performed, so answers to sources may have changed.
    virtual void AskAgain() = 0;
  };

  SimAm(World& world, Checker& checker, Peers& peers);

  // Returns whether the event is in the log; false if no AM runs.
  bool Deliver(const feed::Event& event);
  // Delivers the event as soon as an AM runs, and then calls `then`.
  void Call(const feed::Event& event, const std::function<void()>& then);
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

 private:
  void Restore();
  void Perform(const std::vector<feed::Action>& actions);
  void Arm();

  World& world_;
  Checker& checker_;
  Peers& peers_;
  std::optional<feed::Ledger> ledger_;  // always set
  std::vector<std::string> log_;
  std::string last_snapshot_;  // when the AM died
  bool alive_ = true;
  int events_ = 0;
  int alarm_ = 0;
};

}  // namespace howdah::testing::feed_sim
