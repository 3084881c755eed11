// Splits the bytes of a file into packets.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace howdah::hadoop::hdfs {

constexpr size_t kChunk = 512;                // number of bytes per checksum (CRC-32C)
constexpr size_t kPacketData = 126 * kChunk;  // 64 KiB per packet including checksums, as in Java

// An encoded packet. Its owner keeps it until it is acknowledged, because it may have to be sent again in another
// pipeline.
struct Packet {
  int64_t sequence = 0;
  int64_t end = 0;    // the offset in the block after the packet's last byte of data
  bool last = false;  // whether this packet ends the block; such a packet has no data
  std::string buffer;
  size_t begin = 0;  // offset of the packet in the buffer
  std::string_view bytes() const { return std::string_view(buffer).substr(begin); }
};

// Splits a stream of bytes into blocks, and these into packets. Performs no I/O.
class PacketBuilder {
 public:
  explicit PacketBuilder(int64_t block_size) : block_size_(block_size) {}

  // Consumes bytes from the front of `bytes` until a packet or the block is full, and returns the packet. Returns
  // nullopt if `bytes` is exhausted first. When a block is full, the next call returns a separate packet that ends the
  // block (see Packet::last).
  std::optional<Packet> Add(std::string_view& bytes);
  // Returns a packet with the bytes that were consumed and not yet returned. If it ends with an incomplete chunk, the
  // next packet repeats that chunk, because checksums cover whole chunks. Returns nullopt if there are no new bytes.
  std::optional<Packet> Flush();
  // Returns the packet that ends the current block. Returns nullopt if no block is open, or if some of its bytes have
  // not been flushed.
  std::optional<Packet> EndBlock();

  // The sequence number of the packet that was returned last.
  int64_t sequence() const { return sequence_ - 1; }
  // The number of bytes consumed for the current block, whether or not their packet has been returned.
  int64_t in_block() const { return start_ + static_cast<int64_t>(data_.size()); }

 private:
  Packet Build(std::string_view data);

  int64_t block_size_;
  int64_t sequence_ = 0;
  int64_t start_ = 0;   // offset in the block of the first byte of data_
  size_t flushed_ = 0;  // number of bytes of data_ already returned
  std::string data_;
};

}  // namespace howdah::hadoop::hdfs
