// CRC checksums of whole byte strings, and of blocks in the format of HDFS: one big-endian CRC per chunk (usually 512
// bytes) of a block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace howdah {

// CRC-32C (Castagnoli) is computed by the CPU's instruction if there is one. CRC-32 is the checksum of IEEE 802.3 and
// zlib; the CPU's carry-less multiplication computes it.
enum class Crc { kCrc32, kCrc32c };

uint32_t CrcOf(Crc kind, std::string_view bytes);
// The CRC of these bytes and of those before them, whose CRC is `before`.
uint32_t ContinuedCrc(Crc kind, uint32_t before, std::string_view bytes);

// Returns the same as CrcOf, without using the CPU's instructions.
uint32_t CrcByTable(Crc kind, std::string_view bytes);

// Writes one checksum of 4 bytes per chunk to `out`. The last chunk may be shorter than the others.
void WriteChecksums(Crc kind, std::string_view data, size_t chunk, char* out);

// The index of the first chunk of `data` whose checksum differs from the one in `sums` (4 bytes per chunk). Returns
// nullopt if all are equal.
std::optional<size_t> FirstWrongChunk(Crc kind, std::string_view data, size_t chunk, std::string_view sums);

}  // namespace howdah
