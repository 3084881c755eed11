// TonY's file of events, an Avro container of com.linkedin.tony.events.Event.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/base/time.h"

namespace howdah::compat::tony::history {

struct Metric {
  std::string name;  // "MAX_MEMORY_BYTES"
  double value = 0;  // negative if TonY could not measure it
  friend bool operator==(const Metric&, const Metric&) = default;
};

// One event. Its type determines which fields are used; the comments name these types.
struct Event {
  enum class Type { kApplicationInited, kApplicationFinished, kTaskStarted, kTaskFinished };
  Type type = Type::kApplicationInited;
  Instant time;
  std::string application;                   // in ApplicationInited and ApplicationFinished
  int tasks = 0;                             // in ApplicationInited
  int finished_tasks = 0, failed_tasks = 0;  // in ApplicationFinished
  std::string role;                          // in TaskStarted and TaskFinished; TonY's taskType
  int index = 0;                             // in TaskStarted and TaskFinished
  std::string host;                          // in ApplicationInited and TaskStarted
  std::optional<std::string> container;      // in ApplicationInited and TaskStarted; not before TonY 0.4
  std::string status;                        // in TaskFinished: "SUCCEEDED", "FAILED", "FINISHED"
  std::vector<Metric> metrics;               // in TaskFinished
  std::optional<std::string> diagnostic;     // in TaskFinished: "NA", or the reason
  friend bool operator==(const Event&, const Event&) = default;
};

std::string_view ToText(Event::Type type);  // "TASK_STARTED"

// Writes the events in TonY's newest schema.
Result<std::string> WriteEvents(const std::vector<Event>& events);

struct Events {
  std::vector<Event> events;
  // Why the rest of the file cannot be read: it is still being written, or damaged. Empty if the file is complete.
  std::string cut;
};
// Reads the files of every version of TonY: fields are looked up by name in the file's own schema. Skips unknown event
// types. Accepts any bytes.
Result<Events> ReadEvents(std::string_view bytes);

// Formats one line with TonY's names: {"time": "...", "type": "TASK_STARTED", "taskType": "worker", ...}.
std::string EncodeEvent(const Event& event);
// Formats a line for people: "06:45:12.301  TASK_FINISHED  worker:1  FAILED  exit code 1".
std::string DescribeEvent(const Event& event);

}  // namespace howdah::compat::tony::history
