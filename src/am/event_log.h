// The events of a job as a file: core::Job is a function of them, so the next AM reaches the state of this one by
// replay.
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
    Instant submitted;           // as core::Job takes it
    size_t journal_entries = 0;  // that the journal had before the first event
  };
  // The content of a log file.
  struct Content {
    Beginning beginning;
    std::vector<loop::LoggedEvent> events;
  };

  // nullopt: there is no log, or it is empty. A torn record at the end is left out: its AM had not acted on it.
  static Result<std::optional<Content>> Read(const std::string& path);

  // Appends to the log at the path, or begins one there.
  static Result<EventLog> Open(const std::string& path, const Beginning& beginning);

  Status Append(const std::vector<loop::LoggedEvent>& events) override;

 private:
  explicit EventLog(os::files::RecordFile file) : file_(std::move(file)) {}

  os::files::RecordFile file_;
};

}  // namespace howdah::am
