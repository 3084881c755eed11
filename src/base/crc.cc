#include "howdah/base/crc.h"

#include <array>
#include <cassert>
#include <cstring>

namespace howdah {
namespace {

constexpr int kSlices = 8;
using Tables = std::array<std::array<uint32_t, 256>, kSlices>;

// `polynomial` is in reversed bit order (least significant bit first).
constexpr Tables MakeTables(uint32_t polynomial) {
  Tables tables{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? polynomial : 0);
    tables[0][i] = crc;
  }
  for (size_t slice = 1; slice < kSlices; ++slice) {
    for (size_t i = 0; i < 256; ++i) {
      const uint32_t before = tables[slice - 1][i];
      tables[slice][i] = (before >> 8) ^ tables[0][before & 0xff];
    }
  }
  return tables;
}

constexpr Tables kCrc32Tables = MakeTables(0xEDB88320);
constexpr Tables kCrc32cTables = MakeTables(0x82F63B78);

uint64_t Load(const char* at) {
  uint64_t word = 0;
  std::memcpy(&word, at, sizeof word);
  return word;
}

uint32_t ByTable(Crc kind, std::string_view bytes, uint32_t before) {
  const Tables& tables = kind == Crc::kCrc32c ? kCrc32cTables : kCrc32Tables;
  uint32_t crc = ~before;
  for (; bytes.size() >= 8; bytes.remove_prefix(8)) {
    const uint64_t word = Load(bytes.data()) ^ crc;
    crc = 0;
    for (size_t i = 0; i < kSlices; ++i) crc ^= tables[kSlices - 1 - i][(word >> (8 * i)) & 0xff];
  }
  for (const char c : bytes) crc = (crc >> 8) ^ tables[0][(crc ^ static_cast<unsigned char>(c)) & 0xff];
  return ~crc;
}

#if defined(__x86_64__)

const bool kHasInstruction = __builtin_cpu_supports("sse4.2") != 0;

__attribute__((target("sse4.2"))) uint32_t ByInstruction(const char* at, size_t size, uint32_t before) {
  uint64_t crc = static_cast<uint32_t>(~before);
  for (; size >= 8; size -= 8, at += 8) crc = __builtin_ia32_crc32di(crc, Load(at));
  auto narrow = static_cast<uint32_t>(crc);
  for (; size > 0; --size, ++at) narrow = __builtin_ia32_crc32qi(narrow, static_cast<unsigned char>(*at));
  return ~narrow;
}

// Computes the CRCs of three chunks at once. The crc32 instruction has a latency of three cycles and a throughput of
// one per cycle, so that three interleaved chunks take as long as one.
__attribute__((target("sse4.2"))) void ThreeByInstruction(const char* at, size_t chunk, uint32_t* crcs) {
  uint64_t a = 0xffffffff, b = 0xffffffff, c = 0xffffffff;
  for (size_t i = 0; i < chunk; i += 8) {
    a = __builtin_ia32_crc32di(a, Load(at + i));
    b = __builtin_ia32_crc32di(b, Load(at + chunk + i));
    c = __builtin_ia32_crc32di(c, Load(at + 2 * chunk + i));
  }
  crcs[0] = ~static_cast<uint32_t>(a);
  crcs[1] = ~static_cast<uint32_t>(b);
  crcs[2] = ~static_cast<uint32_t>(c);
}

// CRC-32 by carry-less multiplication, as in Gopal et al., "Fast CRC Computation for Generic Polynomials Using
// PCLMULQDQ Instruction" (Intel, 2009). A polynomial of 128 bits that is followed by n more bits is replaced by a
// shorter one with the same remainder: each half is multiplied by the remainder of a power of x, which depends on n.
#define HOWDAH_CLMUL __attribute__((target("pclmul,sse4.1")))

const bool kMultiplies = __builtin_cpu_supports("pclmul") != 0 && __builtin_cpu_supports("sse4.1") != 0;
constexpr size_t kVector = 16;             // bytes
constexpr size_t kStride = 4 * kVector;    // four independent products hide the latency of the instruction
constexpr size_t kFewestToMultiply = 128;  // bytes; for fewer ones the table is as fast

using Vector = long long __attribute__((vector_size(16)));

Vector LoadVector(const char* at) {
  Vector vector;
  std::memcpy(&vector, at, sizeof vector);
  return vector;
}

HOWDAH_CLMUL Vector Fold(Vector value, Vector factors, Vector next) {
  const Vector low = __builtin_ia32_pclmulqdq128(value, factors, 0x00);
  return low ^ __builtin_ia32_pclmulqdq128(value, factors, 0x11) ^ next;
}

// size: a multiple of kVector, at least kStride. `crc` and the result are not inverted.
HOWDAH_CLMUL uint32_t ByMultiplication(const char* at, size_t size, uint32_t crc) {
  constexpr Vector kOverStride = {0x0154442bd4, 0x01c6e41596}, kOverVector = {0x01751997d0, 0x00ccaa009e};
  Vector sums[4];
  for (size_t i = 0; i < 4; ++i) sums[i] = LoadVector(at + i * kVector);
  sums[0] ^= Vector{crc, 0};
  for (at += kStride, size -= kStride; size >= kStride; at += kStride, size -= kStride) {
    for (size_t i = 0; i < 4; ++i) sums[i] = Fold(sums[i], kOverStride, LoadVector(at + i * kVector));
  }
  Vector sum = sums[0];
  for (size_t i = 1; i < 4; ++i) sum = Fold(sum, kOverVector, sums[i]);
  for (; size > 0; at += kVector, size -= kVector) sum = Fold(sum, kOverVector, LoadVector(at));
  // 128 bits to 64, and Barrett's reduction to 32.
  constexpr Vector kTo64 = {0x0163cd6124, 0}, kPolynomial = {0x01db710641, 0x01f7011641};
  constexpr Vector kLow = {0xffffffff, 0xffffffff};
  sum = Vector{sum[1], 0} ^ __builtin_ia32_pclmulqdq128(sum, kOverVector, 0x10);
  const auto low = static_cast<uint64_t>(sum[0]), high = static_cast<uint64_t>(sum[1]);
  const Vector shifted = {static_cast<long long>(low >> 32 | high << 32), static_cast<long long>(high >> 32)};
  sum = __builtin_ia32_pclmulqdq128(sum & kLow, kTo64, 0x00) ^ shifted;
  Vector quotient = __builtin_ia32_pclmulqdq128(sum & kLow, kPolynomial, 0x10);
  quotient = __builtin_ia32_pclmulqdq128(quotient & kLow, kPolynomial, 0x00);
  return static_cast<uint32_t>(static_cast<uint64_t>(sum[0] ^ quotient[0]) >> 32);
}

#else

constexpr bool kHasInstruction = false, kMultiplies = false;
constexpr size_t kVector = 1, kFewestToMultiply = 0;
uint32_t ByInstruction(const char*, size_t, uint32_t) { return 0; }
void ThreeByInstruction(const char*, size_t, uint32_t*) {}
uint32_t ByMultiplication(const char*, size_t, uint32_t) { return 0; }

#endif

// Calls use(crc, i) with the CRC of chunk i for every chunk, in order, until `use` returns false.
template <typename Use>
void ForEachChunk(Crc kind, std::string_view data, size_t chunk, Use use) {
  const bool fast = kind == Crc::kCrc32c && kHasInstruction;
  size_t index = 0;
  if (fast && chunk % 8 == 0) {
    for (; data.size() >= 3 * chunk; data.remove_prefix(3 * chunk)) {
      uint32_t crcs[3];
      ThreeByInstruction(data.data(), chunk, crcs);
      for (const uint32_t crc : crcs) {
        if (!use(crc, index++)) return;
      }
    }
  }
  while (!data.empty()) {
    const std::string_view piece = data.substr(0, chunk);
    if (!use(CrcOf(kind, piece), index++)) return;
    data.remove_prefix(piece.size());
  }
}

void Store(uint32_t crc, char* out) {
  const uint32_t big = __builtin_bswap32(crc);
  std::memcpy(out, &big, sizeof big);
}

}  // namespace

uint32_t CrcByTable(Crc kind, std::string_view bytes) { return ByTable(kind, bytes, 0); }

uint32_t CrcOf(Crc kind, std::string_view bytes) { return ContinuedCrc(kind, 0, bytes); }

uint32_t ContinuedCrc(Crc kind, uint32_t before, std::string_view bytes) {
  if (kind == Crc::kCrc32c && kHasInstruction) return ByInstruction(bytes.data(), bytes.size(), before);
  if (kind == Crc::kCrc32 && kMultiplies && bytes.size() >= kFewestToMultiply) {
    const size_t size = bytes.size() / kVector * kVector;
    before = ~ByMultiplication(bytes.data(), size, ~before);
    bytes.remove_prefix(size);
  }
  return ByTable(kind, bytes, before);
}

void WriteChecksums(Crc kind, std::string_view data, size_t chunk, char* out) {
  ForEachChunk(kind, data, chunk, [out](uint32_t crc, size_t index) {
    Store(crc, out + 4 * index);
    return true;
  });
}

std::optional<size_t> FirstWrongChunk(Crc kind, std::string_view data, size_t chunk, std::string_view sums) {
  assert(chunk > 0 && sums.size() == (data.size() + chunk - 1) / chunk * 4);
  std::optional<size_t> wrong;
  ForEachChunk(kind, data, chunk, [&](uint32_t crc, size_t index) {
    char expected[4];
    Store(crc, expected);
    if (std::memcmp(expected, sums.data() + 4 * index, 4) != 0) wrong = index;
    return !wrong;
  });
  return wrong;
}

}  // namespace howdah
