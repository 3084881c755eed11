#include "event_log.h"

#include <algorithm>

#include "logged_event.h"

namespace howdah::am {
namespace {

// Adds the heartbeats of a record in bulk.
void AddHeartbeats(const wire::Heard& heard, std::vector<loop::LoggedEvent>& events) {
  for (const wire::HeardContainer& one : heard.containers()) {
    core::HeartbeatReceived event{{one.container()}};
    if (one.has_usage()) event.usage = FromWire(one.usage());
    events.push_back({std::move(event), FromMicros(one.at_micros())});
  }
}

}  // namespace

Result<std::optional<EventLog::Content>> EventLog::Read(const std::string& path) {
  std::optional<Content> content;
  bool known = true;
  const Status read = os::files::ReadRecords(path, [&](std::string_view bytes) {
    wire::LoggedEvent record;
    const bool parsed = record.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
    if (parsed && record.has_begun()) {
      content.emplace().beginning = {FromMicros(record.begun().submitted_micros()),
                                     static_cast<size_t>(record.begun().journal_entries())};
    } else if (parsed && content && record.has_heard()) {
      AddHeartbeats(record.heard(), content->events);
    } else if (auto event = EventOf(record); parsed && content && event) {
      content->events.push_back({std::move(*event), FromMicros(record.at_micros())});
    } else {
      known = false;
    }
  });
  if (!read.ok()) return read.error();
  if (!known) return Failed("reading " + path + ": a record that this version does not know");
  return content;
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

Status EventLog::Append(const std::vector<loop::LoggedEvent>& events) {
  std::vector<std::string> records;
  wire::LoggedEvent heard;
  for (const loop::LoggedEvent& logged : events) {
    if (const auto* one = std::get_if<core::HeartbeatReceived>(&logged.event)) {
      wire::HeardContainer& out = *heard.mutable_heard()->add_containers();
      out.set_container(one->container.text);
      out.set_at_micros(logged.at.time_since_epoch().count());
      if (one->usage) *out.mutable_usage() = ToWire(*one->usage);
      continue;
    }
    if (heard.has_heard()) records.push_back(heard.SerializeAsString());
    heard.Clear();
    records.push_back(ToRecord(logged.event, logged.at).SerializeAsString());
  }
  if (heard.has_heard()) records.push_back(heard.SerializeAsString());
  return file_.Append(records);
}

}  // namespace howdah::am
