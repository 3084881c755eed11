#include "event_log.h"

#include <utility>

#include "howdah/base/epoch.h"
#include "logged_event.h"

namespace howdah::am {
namespace {

constexpr char kUnknown[] = "a record that this version does not know";

Result<wire::LoggedEvent> Parse(std::string_view bytes) {
  wire::LoggedEvent record;
  if (!record.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return Failed(kUnknown);
  return record;
}

EventLog::Beginning BeginningOf(const wire::LogBegun& begun) {
  return {FromMicros(begun.submitted_micros()), static_cast<size_t>(begun.journal_entries())};
}

// Calls on_event for each heartbeat of the record.
void PassOnHeard(const wire::Heard& heard, const EventLog::OnLogged& on_event) {
  for (const wire::HeardContainer& one : heard.containers()) {
    core::HeartbeatReceived event{{one.container()}};
    if (one.has_usage()) event.usage = FromWire(one.usage());
    on_event({std::move(event), FromMicros(one.at_micros())});
  }
}

}  // namespace

Status EventLog::Read(const std::string& path, const OnLogged& on_event) {
  return os::files::ReadRecords(path, [&](std::string_view bytes) -> Status {
    HOWDAH_TRY(const auto record, Parse(bytes));
    if (record.has_begun()) return {};
    if (record.has_heard()) {
      PassOnHeard(record.heard(), on_event);
      return {};
    }
    auto event = EventOf(record);
    if (!event) return Failed(kUnknown);
    on_event({std::move(*event), FromMicros(record.at_micros())});
    return {};
  });
}

Result<EventLog> EventLog::Open(const std::string& path, const Beginning& beginning) {
  std::optional<Beginning> before;
  bool had_events = false;
  auto file = os::files::RecordFile::Open(path, [&](std::string_view bytes) -> Status {
    if (std::exchange(had_events, before.has_value())) return {};
    HOWDAH_TRY(const auto record, Parse(bytes));
    if (before.has_value() == record.has_begun()) return Failed(kUnknown);
    if (record.has_begun()) before = BeginningOf(record.begun());
    return {};
  });
  if (!file.ok()) return file.error();
  EventLog log(std::move(*file));
  log.beginning_ = before.value_or(beginning);
  log.existed_ = before.has_value();
  log.had_events_ = had_events;
  if (before) return log;
  wire::LoggedEvent begun;
  begun.mutable_begun()->set_submitted_micros(beginning.submitted.time_since_epoch().count());
  begun.mutable_begun()->set_journal_entries(static_cast<int64_t>(beginning.journal_entries));
  HOWDAH_TRY_STATUS(log.file_.Append({begun.SerializeAsString()}));
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
