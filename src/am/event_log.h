// What an AM was told, in the order in which it was: core::Job is a function of it, so that an AM after another one can
// be brought to where that one stood.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "howdah/base/ids.h"
#include "howdah/base/result.h"
#include "howdah/core/event.h"
#include "howdah/core/heartbeats.h"
#include "howdah/os/files/record_file.h"
#include "howdah/wire/event_log.pb.h"

namespace howdah::am {

// Records of proto/howdah/event_log.proto. One thread.
class EventLog {
 public:
  struct Step {
    core::Event event;
    Instant at;
  };
  struct Beginning {
    Instant submitted;           // as core::Job was told
    size_t journal_entries = 0;  // of the core, that the journal had already
  };
  // What a log that is there says.
  struct Past {
    Beginning beginning;
    std::vector<Step> steps;
  };

  // nullopt: there is none, or nothing of it was written. Whoever left a torn end had not acted on it.
  static Result<std::optional<Past>> Read(const std::string& path);

  // Goes on behind what is there; else begins it.
  static Result<EventLog> Open(const std::string& path, const Beginning& beginning);

  // Not logged before an event to which it matters.
  void Hear(const ContainerId& container, Instant at) { heartbeats_.Record(container, at); }
  // To be called before anything that follows from the event is done.
  Status Append(const core::Event& event, Instant at);

 private:
  explicit EventLog(os::files::RecordFile file) : file_(std::move(file)) {}

  os::files::RecordFile file_;
  core::Heartbeats heartbeats_;
};

}  // namespace howdah::am
