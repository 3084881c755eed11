// Fuzzed input: replies of an AM to a client that follows a job, or asks for its status or its metrics. Three bytes
// before each reply contain its kind and its length.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "howdah/backend/yarn/job_record.h"
#include "howdah/journal/job_end.h"
#include "howdah/rpc/metrics_messages.h"
#include "log_store.h"
#include "received.h"

namespace howdah::backend::yarn::client {
namespace {

template <typename Message>
bool Parse(std::string_view bytes, Message& message) {
  return message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

void Take(const wire::FollowReply& reply, Received& received) {
  if (reply.has_journal()) {
    received.AddJournal(reply.journal());
    for (const core::JournalEntry& entry : DecodeJournal(reply.journal())) journal::EndsJob(entry);
  }
  if (reply.has_log()) received.Add(reply.log());
  if (reply.has_log_end()) received.Add(reply.log_end());
  const backend::LogSource source = FromWire(reply.log_size().source());
  if (FromWire(ToWire(source)) != source) __builtin_trap();
}

void ReadStatus(const wire::ControlReply& reply) {
  const auto view = journal::FromJson(reply.status_json());
  if (view && !journal::FromJson(journal::ToJson(*view, true))) __builtin_trap();
}

void ReadTable(const metrics::Table& table) {
  const metrics::Table merged = metrics::Merged(table, 7);
  if (merged.columns.size() != table.columns.size()) __builtin_trap();
  for (const metrics::Column& column : merged.columns) {
    if (column.weight.size() != merged.buckets || column.mean.size() != merged.buckets) __builtin_trap();
    column.TotalWeight();
    column.Mean();
    column.Max();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto byte = [&](size_t at) { return static_cast<size_t>(static_cast<unsigned char>(text[at])); };
  Received received;
  metrics::Table table;
  while (text.size() >= 3) {
    const size_t kind = byte(0) % 3;
    const std::string_view bytes = text.substr(3, byte(1) | byte(2) << 8);
    text.remove_prefix(3 + bytes.size());
    wire::FollowReply follow;
    wire::ControlReply status;
    wire::MetricsReply metrics;
    if (kind == 0 && Parse(bytes, follow)) Take(follow, received);
    if (kind == 1 && Parse(bytes, status)) ReadStatus(status);
    if (kind == 2 && Parse(bytes, metrics) && rpc::AddReply(metrics, table)) ReadTable(table);
  }
  LogLocations(DecodeJournal(received.journal));
  const wire::FollowRequest request = received.RequestForRest(backend::LogSelection());
  for (const wire::LogPosition& position : request.logs().have()) {
    if (position.offset() < 0) __builtin_trap();
  }
  return 0;
}

}  // namespace howdah::backend::yarn::client
