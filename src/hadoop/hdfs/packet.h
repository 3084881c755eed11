// What a writer was given, cut into packets.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace howdah::hadoop::hdfs {

constexpr size_t kChunk = 512;                // bytes per checksum, CRC-32C
constexpr size_t kPacketData = 126 * kChunk;  // with its checksums a packet then has 64 KiB, as Java's

// Ready to be sent, and sent again to another pipeline.
struct Packet {
  int64_t sequence = 0;
  int64_t end = 0;    // offset in its block behind its last byte
  bool last = false;  // the block ends here; it has no data
  std::string buffer;
  size_t begin = 0;  // of the packet in the buffer
  std::string_view bytes() const { return std::string_view(buffer).substr(begin); }
};

// Cuts a stream of bytes into the packets of blocks. No input or output.
class PacketBuilder {
 public:
  explicit PacketBuilder(int64_t block_size) : block_size_(block_size) {}

  // Takes bytes from the front of `bytes` until one packet is full or the block is: then it is returned. A block that
  // is full ends with a packet of its own (see Packet::last), which the next call returns.
  std::optional<Packet> Add(std::string_view& bytes);
  // What has been taken and not been returned. What it ends with, if it is no whole chunk, is part of the next packet
  // as well: checksums are of whole chunks. nullopt: there is nothing new.
  std::optional<Packet> Flush();
  // The end of the block that is begun; nullopt: none is, or it is not flushed.
  std::optional<Packet> EndBlock();

  // Of the packet returned last.
  int64_t sequence() const { return sequence_ - 1; }
  // Of the block that is begun: bytes taken, returned or not.
  int64_t in_block() const { return start_ + static_cast<int64_t>(data_.size()); }

 private:
  Packet Build(std::string_view data);

  int64_t block_size_;
  int64_t sequence_ = 0;
  int64_t start_ = 0;   // offset in the block of data_'s first byte
  size_t flushed_ = 0;  // bytes of data_ that have been returned already
  std::string data_;
};

}  // namespace howdah::hadoop::hdfs
