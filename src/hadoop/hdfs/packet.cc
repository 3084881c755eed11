#include "packet.h"

#include <algorithm>

#include "howdah/base/crc.h"
#include "transfer.h"

namespace howdah::hadoop::hdfs {

Packet PacketBuilder::Build(std::string_view data) {
  const size_t checksums = (data.size() + kChunk - 1) / kChunk * 4;
  Packet packet;
  packet.sequence = sequence_++;
  packet.end = start_ + static_cast<int64_t>(data.size());
  packet.buffer.reserve(kPacketHead + checksums + data.size());
  packet.buffer.resize(kPacketHead + checksums);
  WriteChecksums(Crc::kCrc32c, data, kChunk, packet.buffer.data() + kPacketHead);
  packet.buffer += data;
  EncodePacketHead({start_, packet.sequence, false, data.size()}, checksums, packet.buffer.data() + kPacketHead);
  return packet;
}

std::optional<Packet> PacketBuilder::Add(std::string_view& bytes) {
  if (in_block() >= block_size_) {
    if (auto rest = Flush()) return rest;
    return EndBlock();
  }
  const size_t room = std::min(kPacketData - data_.size(), static_cast<size_t>(block_size_ - in_block()));
  if (data_.empty() && bytes.size() >= room) {  // the common case: build the packet without copying to data_ first
    Packet packet = Build(bytes.substr(0, room));
    bytes.remove_prefix(room);
    start_ = packet.end;
    return packet;
  }
  const size_t count = std::min(room, bytes.size());
  data_ += bytes.substr(0, count);
  bytes.remove_prefix(count);
  if (count < room) return std::nullopt;
  Packet packet = Build(data_);
  start_ = packet.end;
  data_.clear();
  flushed_ = 0;
  return packet;
}

std::optional<Packet> PacketBuilder::Flush() {
  if (data_.size() == flushed_) return std::nullopt;
  Packet packet = Build(data_);
  const size_t whole = data_.size() / kChunk * kChunk;
  data_.erase(0, whole);
  start_ += static_cast<int64_t>(whole);
  flushed_ = data_.size();
  return packet;
}

std::optional<Packet> PacketBuilder::EndBlock() {
  if (in_block() == 0 || data_.size() != flushed_) return std::nullopt;
  Packet packet;
  packet.sequence = sequence_++;
  packet.end = in_block();
  packet.last = true;
  packet.buffer = EncodeEmptyPacket(packet.end, packet.sequence, true);
  start_ = 0;
  flushed_ = 0;
  data_.clear();
  return packet;
}

}  // namespace howdah::hadoop::hdfs
