#include "transfer.h"

#include <cassert>
#include <cstring>

namespace howdah::hadoop::hdfs {
namespace {

namespace pb = ::hadoop::hdfs;

constexpr uint16_t kVersion = 28;
constexpr size_t kMaxMessage = size_t{1} << 20;
constexpr size_t kMaxPacket = size_t{16} << 20;  // dfs.data.transfer.max.packet.size

void PutBig(uint64_t number, size_t size, char* out) {
  for (size_t i = 0; i < size; ++i) out[i] = static_cast<char>(number >> (8 * (size - 1 - i)));
}

uint32_t GetBig(std::string_view bytes) {
  uint32_t number = 0;
  for (const char c : bytes) number = number << 8 | static_cast<unsigned char>(c);
  return number;
}

}  // namespace

std::string EncodeDelimited(const google::protobuf::MessageLite& message) {
  std::string bytes;
  size_t size = message.ByteSizeLong();
  for (; size >= 0x80; size >>= 7) bytes += static_cast<char>(size | 0x80);
  bytes += static_cast<char>(size);
  message.AppendPartialToString(&bytes);  // SerializeToString aborts if a required field is missing
  return bytes;
}

std::string EncodeOp(Op op, const google::protobuf::MessageLite& message) {
  std::string bytes(3, '\0');
  PutBig(kVersion, 2, bytes.data());
  bytes[2] = static_cast<char>(op);
  return bytes + EncodeDelimited(message);
}

bool ParseMessage(std::string_view bytes, google::protobuf::MessageLite& message) {
  return message.ParsePartialFromArray(bytes.data(), static_cast<int>(bytes.size())) && message.IsInitialized();
}

Result<std::optional<Extent>> DelimitedExtent(std::string_view bytes) {
  uint64_t size = 0;
  for (size_t i = 0; i < bytes.size() && i < 5; ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    size |= uint64_t{byte & 0x7fu} << (7 * i);
    if ((byte & 0x80) != 0) continue;
    if (size > kMaxMessage) break;
    return std::optional(Extent{i + 1, static_cast<size_t>(size)});
  }
  if (bytes.size() < 5 && size <= kMaxMessage) return std::optional<Extent>();
  return Failed("a message of more than 1 MiB was announced; is this really a DataNode?");
}

Result<PacketPrefix> ParsePacketPrefix(std::string_view bytes) {
  assert(bytes.size() >= PacketPrefix::kSize);
  // The payload length covers itself (4 bytes), checksums and data, but not the header.
  const uint32_t payload = GetBig(bytes.substr(0, 4));
  const uint32_t header = GetBig(bytes.substr(4, 2));
  if (payload < 4 || payload > kMaxPacket || header > kMaxPacket) {
    return Failed("a packet with the lengths " + std::to_string(payload) + " and " + std::to_string(header) +
                  " was announced; no DataNode sends that");
  }
  return PacketPrefix{header, payload - 4};
}

Result<PacketHeader> ParsePacketHeader(std::string_view bytes, const PacketPrefix& prefix) {
  pb::PacketHeaderProto proto;
  if (!ParseMessage(bytes, proto)) return Failed("a packet's header is unreadable");
  if (proto.datalen() < 0 || static_cast<size_t>(proto.datalen()) > prefix.body || proto.offsetinblock() < 0) {
    return Failed("a packet's header contradicts its length");
  }
  return PacketHeader{proto.offsetinblock(), proto.seqno(), proto.lastpacketinblock(),
                      static_cast<size_t>(proto.datalen())};
}

void EncodePacketHead(const PacketHeader& header, size_t checksums, char* end) {
  pb::PacketHeaderProto proto;
  proto.set_offsetinblock(header.offset);
  proto.set_seqno(header.sequence);
  proto.set_lastpacketinblock(header.last);
  proto.set_datalen(static_cast<int32_t>(header.data));
  const size_t size = proto.ByteSizeLong();
  assert(size + PacketPrefix::kSize == kPacketHead);
  char* begin = end - kPacketHead;
  PutBig(4 + checksums + header.data, 4, begin);
  PutBig(size, 2, begin + 4);
  proto.SerializeToArray(begin + PacketPrefix::kSize, static_cast<int>(size));
}

std::string EncodeEmptyPacket(int64_t offset, int64_t sequence, bool last) {
  std::string bytes(kPacketHead, '\0');
  EncodePacketHead({offset, sequence, last, 0}, 0, bytes.data() + bytes.size());
  return bytes;
}

std::optional<BadNode> BadNodeOf(const pb::PipelineAckProto& ack) {
  for (int i = ack.reply_size() - 1; i >= 0; --i) {
    if (ack.reply(i) != pb::SUCCESS)
      return BadNode{static_cast<size_t>(i), "it answered " + pb::Status_Name(ack.reply(i))};
  }
  return std::nullopt;
}

}  // namespace howdah::hadoop::hdfs
