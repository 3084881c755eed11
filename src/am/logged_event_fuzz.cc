// Fuzzes the conversion of event-log records and of executors' messages to events.
#include <cstddef>
#include <cstdint>
#include <string>

#include "logged_event.h"

namespace howdah::am {

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  wire::LoggedEvent record;
  if (record.ParseFromString(text)) EventOf(record);
  wire::FromExecutor message;
  if (!message.ParseFromString(text)) return 0;
  const ContainerId container{"c1"};
  if (message.has_started()) EventOf(container, message.started());
  if (message.has_rank_exited()) EventOf(container, message.rank_exited());
  if (message.has_start_failed()) EventOf(container, message.start_failed());
  if (message.has_ended()) EventOf(container, message.ended());
  if (message.has_progress()) EventOf(container, message.progress());
  if (message.has_stalled()) EventOf(container, message.stalled());
  if (message.has_stands()) EventOf(container, message.stands());
  return 0;
}

}  // namespace howdah::am
