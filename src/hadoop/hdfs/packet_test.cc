#include "packet.h"

#include <gtest/gtest.h>

#include <vector>

#include "crc.h"
#include "transfer.h"

namespace howdah::hadoop::hdfs {
namespace {

struct Parsed {
  PacketHeader header;
  std::string data;
};

Parsed Parse(const Packet& packet) {
  const std::string_view bytes = packet.bytes();
  const auto prefix = ParsePacketPrefix(bytes);
  EXPECT_TRUE(prefix.ok());
  const auto header = ParsePacketHeader(bytes.substr(PacketPrefix::kSize, prefix->header), *prefix);
  EXPECT_TRUE(header.ok());
  const std::string_view body = bytes.substr(PacketPrefix::kSize + prefix->header);
  EXPECT_EQ(body.size(), prefix->body);
  const size_t sums = prefix->body - header->data;
  EXPECT_EQ(sums, (header->data + kChunk - 1) / kChunk * 4);
  EXPECT_FALSE(FirstWrongChunk(Crc::kCrc32c, body.substr(sums), kChunk, body.substr(0, sums)));
  EXPECT_EQ(packet.sequence, header->sequence);
  EXPECT_EQ(packet.last, header->last);
  EXPECT_EQ(packet.end, header->offset + static_cast<int64_t>(header->data));
  return {*header, std::string(body.substr(sums))};
}

std::string Pattern(size_t size) {
  std::string bytes(size, '\0');
  for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(i * i + i / 255);
  return bytes;
}

// Stores packets at their offsets, block by block, as a DataNode does.
struct Blocks {
  std::vector<std::string> blocks = {""};
  int64_t next = 0;
  void Take(const Packet& packet) {
    const Parsed parsed = Parse(packet);
    EXPECT_EQ(parsed.header.sequence, next++);
    std::string& block = blocks.back();
    const auto offset = static_cast<size_t>(parsed.header.offset);
    ASSERT_LE(offset, block.size());
    ASSERT_TRUE(offset % kChunk == 0 || parsed.header.last);
    if (parsed.header.last) {
      EXPECT_EQ(offset, block.size());
      blocks.emplace_back();
      return;
    }
    EXPECT_EQ(parsed.data.substr(0, block.size() - offset), block.substr(offset)) << "flushed bytes changed";
    block.replace(offset, std::string::npos, parsed.data);
  }
};

TEST(PacketBuilder, BlocksDoNotDependOnSizesOfWrites) {
  constexpr int64_t kBlock = 200 * kChunk;
  const std::string bytes = Pattern(450 * kChunk + 77);
  for (const size_t step : {1u, 100u, 512u, 5000u, 64512u, 64513u, 1000000u}) {
    for (const size_t flush_every : {0u, 1u, 3u}) {
      if (step == 1 && flush_every != 0) continue;
      PacketBuilder builder(kBlock);
      Blocks blocks;
      size_t count = 0;
      for (std::string_view rest = bytes; !rest.empty();) {
        std::string_view piece = rest.substr(0, step);
        rest.remove_prefix(piece.size());
        while (!piece.empty()) {
          if (const auto packet = builder.Add(piece)) blocks.Take(*packet);
        }
        if (flush_every == 0 || ++count % flush_every != 0) continue;
        if (const auto packet = builder.Flush()) blocks.Take(*packet);
        EXPECT_FALSE(builder.Flush()) << "there is nothing new";
      }
      if (const auto packet = builder.Flush()) blocks.Take(*packet);
      if (const auto packet = builder.EndBlock()) blocks.Take(*packet);
      EXPECT_FALSE(builder.EndBlock());
      EXPECT_EQ(builder.sequence(), blocks.next - 1);
      ASSERT_EQ(blocks.blocks.size(), 4u) << step;
      EXPECT_EQ(blocks.blocks[0], bytes.substr(0, kBlock));
      EXPECT_EQ(blocks.blocks[1], bytes.substr(kBlock, kBlock));
      EXPECT_EQ(blocks.blocks[2], bytes.substr(2 * kBlock));
    }
  }
}

TEST(PacketBuilder, EmptyFileHasNoBlock) {
  PacketBuilder builder(1 << 20);
  EXPECT_FALSE(builder.Flush());
  EXPECT_FALSE(builder.EndBlock());
  EXPECT_EQ(builder.sequence(), -1);
}

TEST(PacketBuilder, ExactlyFullBlockEndsWithOneLastPacket) {
  PacketBuilder builder(static_cast<int64_t>(kPacketData));
  const std::string bytes = Pattern(kPacketData);
  std::string_view rest = bytes;
  const auto full = builder.Add(rest);
  ASSERT_TRUE(full);
  EXPECT_FALSE(full->last);
  EXPECT_TRUE(rest.empty());
  const auto end = builder.EndBlock();
  ASSERT_TRUE(end);
  EXPECT_TRUE(end->last);
  EXPECT_FALSE(builder.EndBlock());
}

}  // namespace
}  // namespace howdah::hadoop::hdfs
