// Encodes and parses HDFS's data transfer protocol, without I/O (org.apache.hadoop.hdfs.protocol.datatransfer: Sender,
// PacketHeader, PacketReceiver, PipelineAck). All parsers accept any bytes.
#pragma once

#include <google/protobuf/message_lite.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "howdah/base/result.h"
#include "howdah/hadoop/messages/datatransfer.pb.h"

namespace howdah::hadoop::hdfs {

enum class Op : uint8_t { kWriteBlock = 80, kReadBlock = 81 };

// Encodes the beginning of a request: protocol version, op and message.
std::string EncodeOp(Op op, const google::protobuf::MessageLite& message);
// Encodes a message that is preceded by its length as a varint.
std::string EncodeDelimited(const google::protobuf::MessageLite& message);

// Parses a message. Returns false if it is invalid or incomplete. Does not print to stderr, in contrast to protobuf's
// own function.
bool ParseMessage(std::string_view bytes, google::protobuf::MessageLite& message);

// The position of a message in a buffer that begins with the length of the message.
struct Extent {
  size_t begin = 0, size = 0;
};
// Returns nullopt if the buffer ends within the length. Returns an error if the length is invalid or above 1 MiB.
Result<std::optional<Extent>> DelimitedExtent(std::string_view bytes);

// The first six bytes of a packet.
struct PacketPrefix {
  static constexpr size_t kSize = 6;
  size_t header = 0;  // size of the PacketHeaderProto that follows
  size_t body = 0;    // size of the checksums and data after it
};
// `bytes` must have at least kSize bytes. Returns an error for sizes that no DataNode sends.
Result<PacketPrefix> ParsePacketPrefix(std::string_view bytes);

struct PacketHeader {
  int64_t offset = 0;  // offset in the block of the packet's first byte
  int64_t sequence = 0;
  bool last = false;
  size_t data = 0;  // size of the data in the body
};
// `bytes` must have exactly prefix.header bytes.
Result<PacketHeader> ParsePacketHeader(std::string_view bytes, const PacketPrefix& prefix);

// Encodes a packet without data. Heartbeats have the sequence number kHeartbeat.
constexpr int64_t kHeartbeat = -1;
std::string EncodeEmptyPacket(int64_t offset, int64_t sequence, bool last);

// Writes a packet's prefix and header to the kPacketHead bytes that end at `end`.
constexpr size_t kPacketHead = PacketPrefix::kSize + 25;
void EncodePacketHead(const PacketHeader& header, size_t checksums, char* end);

// A failure in a pipeline: the index of the DataNode, and the reason that it or its predecessor reported.
struct BadNode {
  size_t index = 0;
  std::string why;
};
// Returns nullopt if every DataNode has received the packet. If several of them report a failure, returns the last one
// in the pipeline, as Hadoop does: the others only pass its failure on.
std::optional<BadNode> BadNodeOf(const ::hadoop::hdfs::PipelineAckProto& ack);

}  // namespace howdah::hadoop::hdfs
