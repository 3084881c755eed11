// One application master under simulation: the AM's real loop (am::loop::JobLoop) on simulated ports, which check the
// order that recovery depends on.
#pragma once

#include <string>
#include <vector>

#include "howdah/am/loop/job_loop.h"
#include "howdah/testing/sim/workload.h"
#include "world.h"

namespace howdah::testing::sim {

// What is left of an AM that was killed.
struct SimDisk {
  struct Logged {
    am::loop::LoggedEvent logged;
    std::vector<std::string> orders;  // the actions of its step, as text
  };
  std::vector<Logged> event_log;
  size_t journal = 0;                  // entries that are written
  std::vector<core::Change> recorded;  // every entry that the core has recorded, written or not
};

class SimAm final : private am::loop::Clock,
                    private am::loop::Timers,
                    private am::loop::EventLog,
                    private am::loop::Journal,
                    private am::loop::Performer {
 public:
  // The job that the AM runs.
  class Owner {
   public:
    virtual ~Owner() = default;
    virtual Instant AmNow() const = 0;
    // An action that the core has ordered, whether or not the AM lives to perform it.
    virtual void OnOrdered(const core::Action& action) = 0;
    virtual void OnPerform(const core::Action& action) = 0;
    virtual void OnDeadline(std::optional<Instant> deadline) = 0;
  };
  // disk, owner: outlive this.
  SimAm(World& world, const Workload& workload, std::string name, Instant submitted, uint64_t seed, SimDisk& disk,
        Owner& owner);

  // Continues from the disk, as an AM that is started after another.
  void Resume();
  // Hands an event to the loop and lets it drain; from within a drain the event waits for its turn.
  void Deliver(const core::Event& event);
  // The AM was killed between a step and its orders: none was performed, and the journal was not written.
  bool died() const { return died_; }
  const core::Job& job() const { return loop_.job(); }

 private:
  Instant Now() override { return owner_.AmNow(); }
  void DrainSoon() override { drain_wanted_ = true; }
  void Arm(std::optional<Instant> deadline) override;
  Status Append(const std::vector<am::loop::LoggedEvent>& events) override;
  void Add(const core::JournalEntry& entry) override;
  Status Flush() override;
  void Perform(const core::Action& action) override { Order(action); }
  void Replayed(const am::loop::LoggedEvent& logged, const std::vector<core::Action>& actions) override;
  void OnDrained() override {}
  void OnFailed(const Error&) override {}
  void Order(const core::Action& action);
  void AddAgain(const core::Change& change);

  World& world_;
  const Workload& workload_;
  const std::string name_;
  SimDisk& disk_;
  Owner& owner_;
  am::loop::JobLoop loop_;
  size_t queued_ = 0;  // journal entries that wait for the flush
  size_t replayed_ = 0, replayed_entries_ = 0;
  bool resuming_ = false, draining_ = false, drain_wanted_ = false;
  bool durable_ = false;  // the event whose actions come is in the event log
  bool ordered_ = false;  // an action of this drain has come
  bool died_ = false;
  int flushes_ = 0;  // in this drain
};

}  // namespace howdah::testing::sim
