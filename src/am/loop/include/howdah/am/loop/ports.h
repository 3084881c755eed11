// The interfaces between the application master's loop and its process. The AM implements them with files, timers and
// executors, and the simulator with simulated ones. All calls are made on the loop's thread.
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
  // The implementation must call JobLoop::RunPass once, soon after this call and not from within it.
  virtual void PassSoon() = 0;
  // The implementation must post core::Ticked at the deadline. Each call replaces the previous deadline; nullopt: no
  // deadline.
  virtual void Arm(std::optional<Instant> deadline) = 0;
  // The implementation must call JobLoop::RunPass once, after the delay.
  virtual void PassAfter(Duration delay) = 0;
};

// The state of core::Job is a function of its events, so the next AM reaches the state of this one by replaying them.
class EventLog {
 public:
  virtual ~EventLog() = default;
  // When this returns ok, the events are durable. After ErrorCode::kNoSpace the implementation keeps them, and writes
  // them before those of the next call, which may be an empty list.
  virtual Status Append(const std::vector<LoggedEvent>& events) = 0;
};

class Journal {
 public:
  virtual ~Journal() = default;
  // Queues an entry.
  virtual void Add(const core::JournalEntry& entry) = 0;
  // Writes all queued entries in one piece. After ErrorCode::kNoSpace, the entries that were not written stay queued.
  virtual Status Flush() = 0;
};

// Performs the core's actions.
class Performer {
 public:
  virtual ~Performer() = default;
  // Called for every action except core::Record, which goes to the journal.
  virtual void Perform(const core::Action& action) = 0;
  // Called during a resume for an event of the previous AM, and for the actions of that event. The implementation
  // updates its tables and performs nothing.
  virtual void Replayed(const LoggedEvent& logged, const std::vector<core::Action>& actions) = 0;
  // Called at the end of a pass, when the queue is empty and the journal is flushed.
  virtual void OnPassDone() = 0;
  // Called when the event log or the journal cannot be written. The loop has then stopped.
  virtual void OnFailed(const Error& error) = 0;
  // The file system of the event log or of the journal is full. Until OnSpace the loop performs nothing.
  virtual void OnNoSpace(const Error& error) = 0;
  virtual void OnSpace(Duration full_for) = 0;
  // A stop was requested while the file system is full. The implementation deletes its reserve files.
  virtual void FreeReserve() = 0;
};

struct Ports {
  Clock& clock;
  Timers& timers;
  EventLog& event_log;
  Journal& journal;
  Performer& performer;
};

}  // namespace howdah::am::loop
