#include "howdah/base/crc.h"

#include <gtest/gtest.h>

#include <string>

namespace howdah {
namespace {

std::string Counting(size_t size, int step) {
  std::string bytes(size, '\0');
  for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(static_cast<int>(i) * step);
  return bytes;
}

// "123456789" is the standard check input of both CRCs; the other vectors are from RFC 3720, B.4 (iSCSI).
TEST(Crc, KnownValuesMatch) {
  struct Case {
    Crc kind;
    std::string bytes;
    uint32_t crc;
  };
  std::string descending(32, '\0');
  for (size_t i = 0; i < 32; ++i) descending[i] = static_cast<char>(31 - i);
  const Case cases[] = {{Crc::kCrc32c, "", 0},
                        {Crc::kCrc32, "", 0},
                        {Crc::kCrc32, "123456789", 0xCBF43926},
                        {Crc::kCrc32c, "123456789", 0xE3069283},
                        {Crc::kCrc32c, std::string(32, '\0'), 0x8A9136AA},
                        {Crc::kCrc32c, std::string(32, '\xff'), 0x62A8AB43},
                        {Crc::kCrc32c, Counting(32, 1), 0x46DD794E},
                        {Crc::kCrc32c, descending, 0x113FDB5C}};
  for (const Case& c : cases) {
    EXPECT_EQ(CrcOf(c.kind, c.bytes), c.crc) << c.bytes.size();
    EXPECT_EQ(CrcByTable(c.kind, c.bytes), c.crc) << c.bytes.size();
  }
}

// The CPU instruction, its interleaved form and the table must give the same results.
TEST(Crc, AllChunkSizesGiveSameChecksums) {
  const std::string bytes = Counting(9000, 7);
  for (const Crc kind : {Crc::kCrc32, Crc::kCrc32c}) {
    for (const size_t chunk : {512u, 100u, 1u, 8u, 4096u}) {
      for (const size_t size : {0u, 1u, 511u, 512u, 513u, 1536u, 2000u, 9000u}) {
        const std::string_view data = std::string_view(bytes).substr(0, size);
        std::string sums((size + chunk - 1) / chunk * 4, '\0');
        WriteChecksums(kind, data, chunk, sums.data());
        for (size_t i = 0; i * chunk < size; ++i) {
          const uint32_t crc = CrcByTable(kind, data.substr(i * chunk, chunk));
          const std::string big = {static_cast<char>(crc >> 24), static_cast<char>(crc >> 16),
                                   static_cast<char>(crc >> 8), static_cast<char>(crc)};
          ASSERT_EQ(sums.substr(4 * i, 4), big) << chunk << " " << size << " " << i;
        }
        EXPECT_EQ(FirstWrongChunk(kind, data, chunk, sums), std::nullopt);
      }
    }
  }
}

TEST(Crc, AllSizesAndPlacesGiveTheCrcOfTheTable) {
  std::string bytes = Counting(1100, 11);
  for (size_t i = 256; i < bytes.size(); ++i) bytes[i] = static_cast<char>(bytes[i] + static_cast<char>(i / 7));
  for (const Crc kind : {Crc::kCrc32, Crc::kCrc32c}) {
    for (size_t size = 0; size <= 1000; ++size) {
      const std::string_view data = std::string_view(bytes).substr(size % 17, size);
      ASSERT_EQ(CrcOf(kind, data), CrcByTable(kind, data)) << size;
    }
  }
}

TEST(Crc, ContinuesAfterOtherBytes) {
  const std::string bytes = Counting(1000, 5);
  for (const Crc kind : {Crc::kCrc32, Crc::kCrc32c}) {
    const uint32_t whole = CrcByTable(kind, bytes);
    for (const size_t first : {0u, 1u, 63u, 64u, 127u, 128u, 500u, 999u, 1000u}) {
      const std::string_view head = std::string_view(bytes).substr(0, first);
      const std::string_view tail = std::string_view(bytes).substr(first);
      EXPECT_EQ(ContinuedCrc(kind, CrcOf(kind, head), tail), whole) << first;
    }
  }
}

TEST(Crc, FirstWrongChunkIsFound) {
  const std::string right = Counting(64512, 3);
  std::string sums(126 * 4, '\0');
  WriteChecksums(Crc::kCrc32c, right, 512, sums.data());
  for (const size_t wrong : {0u, 1u, 511u, 512u, 30000u, 64511u}) {
    std::string data = right;
    data[wrong] ^= 0x10;
    EXPECT_EQ(FirstWrongChunk(Crc::kCrc32c, data, 512, sums), wrong / 512);
  }
}

}  // namespace
}  // namespace howdah
