// The bytes of HDFS's data transfer protocol, without any socket (org.apache.hadoop.hdfs.protocol.datatransfer: Sender,
// PacketHeader, PacketReceiver, PipelineAck). Every parser takes any bytes.
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

// What begins a connection's work: version, op, message.
std::string EncodeOp(Op op, const google::protobuf::MessageLite& message);
// A message behind its length as a varint.
std::string EncodeDelimited(const google::protobuf::MessageLite& message);

// Reads a message; false: it is none, or not whole. Unlike protobuf's own function it says nothing on stderr.
bool ParseMessage(std::string_view bytes, google::protobuf::MessageLite& message);

// Where a delimited message lies at the beginning of some bytes.
struct Extent {
  size_t begin = 0, size = 0;
};
// nullopt: the length itself is not all there yet. An error: it is none, or more than 1 MiB.
Result<std::optional<Extent>> DelimitedExtent(std::string_view bytes);

// A packet's first six bytes.
struct PacketPrefix {
  static constexpr size_t kSize = 6;
  size_t header = 0;  // bytes of PacketHeaderProto, which follow
  size_t body = 0;    // bytes of checksums and data, behind that
};
// bytes: at least kSize. An error: sizes that no DataNode sends.
Result<PacketPrefix> ParsePacketPrefix(std::string_view bytes);

struct PacketHeader {
  int64_t offset = 0;  // in the block, of the packet's first byte
  int64_t sequence = 0;
  bool last = false;
  size_t data = 0;  // bytes; at most the body
};
// bytes: prefix.header of them.
Result<PacketHeader> ParsePacketHeader(std::string_view bytes, const PacketPrefix& prefix);

// A packet without data: a heartbeat has the sequence number kHeartbeat.
constexpr int64_t kHeartbeat = -1;
std::string EncodeEmptyPacket(int64_t offset, int64_t sequence, bool last);

// Writes prefix and header of a packet to the bytes before `end`; there are kPacketHead of them.
constexpr size_t kPacketHead = PacketPrefix::kSize + 25;
void EncodePacketHead(const PacketHeader& header, size_t checksums, char* end);

// What is wrong in a pipeline: the DataNode's index, and what it or its predecessor says.
struct BadNode {
  size_t index = 0;
  std::string why;
};
// nullopt: every node has the packet. Of several the last in the pipeline is named, as Hadoop does: those before it
// only pass on what it did.
std::optional<BadNode> BadNodeOf(const ::hadoop::hdfs::PipelineAckProto& ack);

}  // namespace howdah::hadoop::hdfs
