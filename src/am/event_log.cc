#include "event_log.h"

#include <algorithm>

#include "logged_event.h"

namespace howdah::am {
namespace {

void AddHeard(const wire::Heard& heard, std::vector<EventLog::Step>& steps) {
  for (int i = 0; i < std::min(heard.containers_size(), heard.at_micros_size()); ++i) {
    steps.push_back({core::HeartbeatReceived{{heard.containers(i)}}, FromMicros(heard.at_micros(i))});
  }
}

}  // namespace

Result<std::optional<EventLog::Past>> EventLog::Read(const std::string& path) {
  std::optional<Past> past;
  bool known = true;
  const Status read = os::files::ReadRecords(path, [&](std::string_view bytes) {
    wire::LoggedEvent record;
    const bool parsed = record.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
    if (parsed && record.has_begun()) {
      past.emplace().beginning = {FromMicros(record.begun().submitted_micros()),
                                  static_cast<size_t>(record.begun().journal_entries())};
    } else if (parsed && past && record.has_heard()) {
      AddHeard(record.heard(), past->steps);
    } else if (auto event = EventOf(record); parsed && past && event) {
      past->steps.push_back({std::move(*event), FromMicros(record.at_micros())});
    } else {
      known = false;
    }
  });
  if (!read.ok()) return read.error();
  if (!known) return Failed("reading " + path + ": a record that this version does not know");
  return past;
}

Result<EventLog> EventLog::Open(const std::string& path, const Beginning& beginning) {
  bool begun_before = false;
  auto file = os::files::RecordFile::Open(path, [&](std::string_view) { begun_before = true; });
  if (!file.ok()) return file.error();
  EventLog log(std::move(*file));
  if (begun_before) return log;
  wire::LoggedEvent begun;
  begun.mutable_begun()->set_submitted_micros(beginning.submitted.time_since_epoch().count());
  begun.mutable_begun()->set_journal_entries(static_cast<int64_t>(beginning.journal_entries));
  if (const Status written = log.file_.Append({begun.SerializeAsString()}); !written.ok()) return written.error();
  return log;
}

Status EventLog::Append(const core::Event& event, Instant at) {
  std::vector<std::string> records;
  wire::LoggedEvent heard;
  for (const auto& [when, container] : heartbeats_.TakeBefore(event)) {
    heard.mutable_heard()->add_containers(container.text);
    heard.mutable_heard()->add_at_micros(when.time_since_epoch().count());
  }
  if (heard.has_heard()) records.push_back(heard.SerializeAsString());
  records.push_back(ToRecord(event, at).SerializeAsString());
  return file_.Append(records);
}

}  // namespace howdah::am
