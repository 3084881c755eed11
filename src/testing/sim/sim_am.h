// One application master under simulation: the AM's real loop (am::loop::JobLoop) with simulated ports. The ports check
// the order of operations that recovery depends on.
#pragma once

#include <string>
#include <vector>

#include "hardware_check.h"
#include "howdah/am/loop/job_loop.h"
#include "howdah/testing/sim/workload.h"
#include "world.h"

namespace howdah::testing::sim {

// The files of an AM, which remain after its death.
struct SimDisk {
  struct Logged {
    am::loop::LoggedEvent logged;
    std::vector<std::string> orders;  // the actions of the event's step, formatted as text
  };
  std::vector<Logged> event_log;
  size_t journal = 0;                  // number of entries written
  std::vector<core::Change> recorded;  // every entry that the core has recorded, written or not
  HardwareCheck hardware;              // checks the hardware of every entry in `recorded`
  bool loses_finish = false;           // an AM will die before it performs FinishJob
  bool finished = false;               // FinishJob was performed
};

class SimAm final : private am::loop::Clock,
                    private am::loop::Timers,
                    private am::loop::EventLog,
                    private am::loop::Journal,
                    private am::loop::Performer {
 public:
  // The job that this AM runs.
  class Owner {
   public:
    virtual ~Owner() = default;
    virtual Instant AmNow() const = 0;
    // The core has ordered an action. The AM may die before it performs the action.
    virtual void OnOrdered(const core::Action& action) = 0;
    virtual void OnPerform(const core::Action& action) = 0;
    virtual void OnDeadline(std::optional<Instant> deadline) = 0;
  };
  // disk and owner must live longer than this object.
  SimAm(World& world, const Workload& workload, std::string name, Instant submitted, uint64_t seed, SimDisk& disk,
        Owner& owner);

  // Resumes the job from the disk, like an AM that is started after the death of another AM.
  void Resume();
  // Posts an event to the loop and runs one pass. If a pass is already running, the event is only queued.
  void Deliver(const core::Event& event);
  // Whether the AM was killed between a step and its actions. In that case it has performed none of the actions, and
  // has not written the journal.
  bool died() const { return died_; }
  const core::Job& job() const { return loop_.job(); }

 private:
  Instant Now() override { return owner_.AmNow(); }
  void PassSoon() override { pass_wanted_ = true; }
  void Arm(std::optional<Instant> deadline) override;
  Status Append(const std::vector<am::loop::LoggedEvent>& events) override;
  void Add(const core::JournalEntry& entry) override;
  Status Flush() override;
  void Perform(const core::Action& action) override { Order(action); }
  void Replayed(const am::loop::LoggedEvent& logged, const std::vector<core::Action>& actions) override;
  void OnPassDone() override {}
  void OnFailed(const Error&) override {}
  // The simulated disk is never full.
  void PassAfter(Duration) override {}
  void OnNoSpace(const Error&) override {}
  void OnSpace(Duration) override {}
  void FreeReserve() override {}
  void Order(const core::Action& action);
  void AddAgain(const core::Change& change);
  void CheckHardware();

  World& world_;
  const Workload& workload_;
  const std::string name_;
  SimDisk& disk_;
  Owner& owner_;
  am::loop::JobLoop loop_;
  size_t queued_ = 0;  // journal entries that wait for the flush
  size_t replayed_ = 0, replayed_entries_ = 0;
  bool resuming_ = false, in_pass_ = false, pass_wanted_ = false;
  bool durable_ = false;  // the event that led to the current actions is in the event log
  // An action was ordered since the current pass began.
  bool ordered_ = false;
  bool died_ = false;
  int flushes_ = 0;         // number of flushes since the current pass began
  int queued_in_pass_ = 0;  // number of events that the actions of the current pass have caused
};

}  // namespace howdah::testing::sim
