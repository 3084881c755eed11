#include "received.h"

#include <algorithm>

#include "log_store.h"

namespace howdah::backend::yarn::client {

void Received::Add(const wire::LogChunk& chunk) {
  const auto size = static_cast<int64_t>(chunk.bytes().size());
  const int64_t offset = std::clamp<int64_t>(chunk.offset(), 0, INT64_MAX - size);
  outputs[FromWire(chunk.source())].bytes = offset + size;
}

void Received::Add(const wire::LogEnd& end) {
  Output& output = outputs[FromWire(end.source())];
  output.complete = end.has_size() && output.bytes >= end.size();
}

std::string_view Received::RestOf(std::string_view whole_journal) const {
  return whole_journal.substr(std::min(journal.size(), whole_journal.size()));
}

wire::FollowRequest Received::RequestForRest(const std::optional<backend::LogSelection>& logs) const {
  wire::FollowRequest request;
  request.set_journal_offset(static_cast<int64_t>(journal.size()));
  if (!logs) return request;
  wire::LogsWanted& wanted = *request.mutable_logs();
  if (logs->role) wanted.set_role(*logs->role);
  if (logs->index) wanted.set_index(*logs->index);
  if (logs->attempt) wanted.set_attempt(*logs->attempt);
  wanted.set_no_stdout(!logs->want_stdout);
  wanted.set_no_stderr(!logs->want_stderr);
  for (const auto& [source, output] : outputs) {
    wire::LogPosition& position = *wanted.add_have();
    *position.mutable_source() = ToWire(source);
    position.set_offset(output.bytes);
  }
  return request;
}

}  // namespace howdah::backend::yarn::client
