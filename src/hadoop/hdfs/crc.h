// The checksums of HDFS: one CRC for every chunk of a block (512 bytes, usually), big-endian.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace howdah::hadoop::hdfs {

// CRC-32C (Castagnoli; by the CPU's instruction where it has one) and CRC-32 (IEEE 802.3, as zlib's).
enum class Crc { kCrc32, kCrc32c };

uint32_t CrcOf(Crc kind, std::string_view bytes);

// As CrcOf, never by the CPU's instruction: what machines without it use.
uint32_t CrcByTable(Crc kind, std::string_view bytes);

// Writes a checksum of 4 bytes to `out` for every chunk; the last chunk may be short.
void WriteChecksums(Crc kind, std::string_view data, size_t chunk, char* out);

// The index of the first chunk of `data` whose checksum is not the one in `sums`; nullopt: all are right. `sums` has 4
// bytes for every chunk.
std::optional<size_t> FirstWrongChunk(Crc kind, std::string_view data, size_t chunk, std::string_view sums);

}  // namespace howdah::hadoop::hdfs
