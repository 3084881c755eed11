#include "event_log.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "howdah/process/files.h"
#include "logged_event.h"

namespace howdah::am {
namespace {

constexpr size_t kLimit = size_t{1} << 30;
using Length = uint32_t;

void AddRecord(const wire::LoggedEvent& record, std::string& to) {
  const auto length = static_cast<Length>(record.ByteSizeLong());
  to.append(reinterpret_cast<const char*>(&length), sizeof length);
  record.AppendToString(&to);
}

// How many bytes of whole records there are; each is handed on.
template <typename OnRecord>
size_t ReadRecords(std::string_view bytes, OnRecord on_record) {
  size_t at = 0;
  while (bytes.size() - at >= sizeof(Length)) {
    Length length;
    std::memcpy(&length, bytes.data() + at, sizeof length);
    wire::LoggedEvent record;
    if (bytes.size() - at - sizeof length < length) break;
    if (!record.ParseFromArray(bytes.data() + at + sizeof length, static_cast<int>(length))) break;
    at += sizeof length + length;
    on_record(record);
  }
  return at;
}

Instant FromMicros(int64_t micros) { return Instant(Duration(micros)); }

void AddHeard(const wire::Heard& heard, std::vector<EventLog::Step>& steps) {
  for (int i = 0; i < std::min(heard.containers_size(), heard.at_micros_size()); ++i) {
    steps.push_back({core::ExecutorHeard{{heard.containers(i)}}, FromMicros(heard.at_micros(i))});
  }
}

}  // namespace

Result<std::optional<EventLog::Past>> EventLog::Read(const std::string& path) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0 && errno == ENOENT) return std::optional<Past>();
  const auto bytes = process::ReadFile(path, kLimit);
  if (!bytes.ok()) return bytes.error();
  std::optional<Past> past;
  std::string unknown;
  ReadRecords(*bytes, [&](const wire::LoggedEvent& record) {
    if (record.has_begun()) {
      past.emplace().beginning = {FromMicros(record.begun().submitted_micros()),
                                  static_cast<size_t>(record.begun().journal_entries())};
    } else if (past && record.has_heard()) {
      AddHeard(record.heard(), past->steps);
    } else if (auto event = EventOf(record); past && event) {
      past->steps.push_back({std::move(*event), FromMicros(record.at_micros())});
    } else {
      unknown = "a record that this version does not know";
    }
  });
  if (!unknown.empty()) return Failed("reading " + path + ": " + unknown);
  return past;
}

Result<EventLog> EventLog::Open(const std::string& path, const Beginning& beginning) {
  auto file = process::OpenForAppend(path, 0600);
  if (!file.ok()) return file.error();
  const auto bytes = process::ReadFile(path, kLimit);
  if (!bytes.ok()) return bytes.error();
  const size_t whole = ReadRecords(*bytes, [](const wire::LoggedEvent&) {});
  if (whole < bytes->size() && ftruncate(file->get(), static_cast<off_t>(whole)) != 0) {
    return process::SystemError("cutting the torn end of " + path);
  }
  EventLog log(path, std::move(*file));
  if (whole > 0) return log;
  wire::LoggedEvent begun;
  begun.mutable_begun()->set_submitted_micros(beginning.submitted.time_since_epoch().count());
  begun.mutable_begun()->set_journal_entries(static_cast<int64_t>(beginning.journal_entries));
  std::string records;
  AddRecord(begun, records);
  if (const Status written = log.Write(records); !written.ok()) return written.error();
  return log;
}

Status EventLog::Append(const core::Event& event, Instant at) {
  std::string records;
  if (!heard_.empty()) {
    std::vector<std::pair<Instant, std::string>> by_time;
    for (const auto& [container, when] : heard_) by_time.emplace_back(when, container.text);
    std::sort(by_time.begin(), by_time.end());
    heard_.clear();
    wire::LoggedEvent heard;
    for (const auto& [when, container] : by_time) {
      heard.mutable_heard()->add_containers(container);
      heard.mutable_heard()->add_at_micros(when.time_since_epoch().count());
    }
    AddRecord(heard, records);
  }
  AddRecord(ToRecord(event, at), records);
  return Write(records);
}

Status EventLog::Write(const std::string& records) { return process::WriteAll(file_.get(), records, path_); }

}  // namespace howdah::am
