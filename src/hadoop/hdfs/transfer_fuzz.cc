// Parses the input as packets and acknowledgements of DataNodes.
#include <cstddef>
#include <cstdint>
#include <string>

#include "transfer.h"

namespace howdah::hadoop::hdfs {

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  ::hadoop::hdfs::PipelineAckProto ack;
  if (ParseMessage(text, ack)) BadNodeOf(ack);
  static_cast<void>(DelimitedExtent(text));
  if (text.size() < PacketPrefix::kSize) return 0;
  const auto prefix = ParsePacketPrefix(text);
  if (!prefix.ok() || text.size() < PacketPrefix::kSize + prefix->header) return 0;
  const auto header = ParsePacketHeader(std::string_view(text).substr(PacketPrefix::kSize, prefix->header), *prefix);
  if (header.ok() && header->data > prefix->body) __builtin_trap();
  return 0;
}

}  // namespace howdah::hadoop::hdfs
