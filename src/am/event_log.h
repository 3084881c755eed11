// The event log of a job as a file. The state of core::Job is a function of its events, so the next AM reaches this
// AM's state by replaying the file.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "howdah/am/loop/ports.h"
#include "howdah/base/ids.h"
#include "howdah/base/result.h"
#include "howdah/os/files/record_file.h"
#include "howdah/wire/event_log.pb.h"

namespace howdah::am {

// The file consists of records of proto/howdah/event_log.proto. Not thread-safe.
class EventLog final : public loop::EventLog {
 public:
  struct Beginning {
    Instant submitted;           // passed on to core::Job
    size_t journal_entries = 0;  // number of journal entries before the first event
  };
  // Passes each event of the log to on_event, one at a time, because the log of a long job may be larger than the
  // memory of its AM. Skips a torn record at the end, because the AM that wrote it had not acted on its events.
  using OnLogged = std::function<void(const loop::LoggedEvent& logged)>;
  static Status Read(const std::string& path, const OnLogged& on_event);

  // Opens the log at the path for appending, and checks what it contains. A new log begins with `beginning`.
  static Result<EventLog> Open(const std::string& path, const Beginning& beginning);

  const Beginning& beginning() const { return beginning_; }
  const std::string& path() const { return file_.path(); }
  // Whether Open found a log, and whether that log had events. An AM that dies before its first event leaves a log
  // without events.
  bool existed() const { return existed_; }
  bool had_events() const { return had_events_; }

  Status Append(const std::vector<loop::LoggedEvent>& events) override;

 private:
  explicit EventLog(os::files::RecordFile file) : file_(std::move(file)) {}

  os::files::RecordFile file_;
  Beginning beginning_;
  bool existed_ = false, had_events_ = false;
};

}  // namespace howdah::am
