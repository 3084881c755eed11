// The interfaces through which the application master's loop reaches its process: the AM implements them with files,
// timers and executors, the simulator with virtual ones. All calls come from the loop's thread.
#pragma once

#include <optional>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/base/time.h"
#include "howdah/core/action.h"
#include "howdah/core/change.h"
#include "howdah/core/event.h"

namespace howdah::am::loop {

// An event of the job, with the time of its step.
struct LoggedEvent {
  core::Event event;
  Instant at;
};

class Clock {
 public:
  virtual ~Clock() = default;
  virtual Instant Now() = 0;
};

class Timers {
 public:
  virtual ~Timers() = default;
  // Call JobLoop::Drain soon, once, and not from within this call.
  virtual void DrainSoon() = 0;
  // Post core::Ticked at the deadline. Replaces the deadline given before; nullopt: no deadline.
  virtual void Arm(std::optional<Instant> deadline) = 0;
};

// core::Job is a function of its events, so the events alone bring the next AM to the state of this one.
class EventLog {
 public:
  virtual ~EventLog() = default;
  // The events are durable when this returns ok.
  virtual Status Append(const std::vector<LoggedEvent>& events) = 0;
};

class Journal {
 public:
  virtual ~Journal() = default;
  // Queues an entry.
  virtual void Add(const core::JournalEntry& entry) = 0;
  // Writes everything queued, in one piece.
  virtual Status Flush() = 0;
};

// Carries out what the core orders.
class Performer {
 public:
  virtual ~Performer() = default;
  // Every action except core::Record, which goes to the journal.
  virtual void Perform(const core::Action& action) = 0;
  // The AM before this one has performed these actions: update tables, order nothing.
  virtual void Replayed(const LoggedEvent& logged, const std::vector<core::Action>& actions) = 0;
  // The queue is empty and the journal is written.
  virtual void OnDrained() = 0;
  // Event log or journal cannot be written: the loop has stopped.
  virtual void OnFailed(const Error& error) = 0;
};

struct Ports {
  Clock& clock;
  Timers& timers;
  EventLog& event_log;
  Journal& journal;
  Performer& performer;
};

}  // namespace howdah::am::loop
