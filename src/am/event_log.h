// The events of a job as a file. The state of core::Job is a function of its events, so the next AM reaches this AM's
// state by replaying the file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "howdah/am/loop/ports.h"
#include "howdah/base/ids.h"
#include "howdah/base/result.h"
#include "howdah/os/files/record_file.h"
#include "howdah/wire/event_log.pb.h"

namespace howdah::am {

// Records of proto/howdah/event_log.proto. One thread.
class EventLog final : public loop::EventLog {
 public:
  struct Beginning {
    Instant submitted;           // passed on to core::Job
    size_t journal_entries = 0;  // number of journal entries before the first event
  };
  // The content of a log file.
  struct Content {
    Beginning beginning;
    std::vector<loop::LoggedEvent> events;
  };

  // Returns nullopt if the log does not exist or is empty. Skips a torn record at the end, because its AM had not yet
  // acted on it.
  static Result<std::optional<Content>> Read(const std::string& path);

  // Opens the log at the path for appending. A new log begins with `beginning`.
  static Result<EventLog> Open(const std::string& path, const Beginning& beginning);

  Status Append(const std::vector<loop::LoggedEvent>& events) override;

 private:
  explicit EventLog(os::files::RecordFile file) : file_(std::move(file)) {}

  os::files::RecordFile file_;
};

}  // namespace howdah::am
