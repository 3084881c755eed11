#include "bytes.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace howdah::metrics {
namespace {

constexpr int kMantissa = 23;
constexpr int32_t kInfinity = 0x7f800000, kNan = 0x7fc00000;

}  // namespace

void ByteWriter::Fixed(uint64_t value, int size) {
  for (int i = 0; i < size; ++i) bytes_ += static_cast<char>(value >> (8 * i) & 0xff);
}

void ByteWriter::Double(double value) { Fixed64(std::bit_cast<uint64_t>(value)); }

void ByteWriter::Varint(uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
  bytes_ += static_cast<char>(value);
}

void ByteWriter::Text(std::string_view text) {
  Varint(text.size());
  bytes_ += text;
}

uint64_t ByteReader::Fail() {
  failed_ = true;
  bytes_ = {};
  return 0;
}

uint64_t ByteReader::Fixed(size_t size) {
  if (bytes_.size() < size) return Fail();
  uint64_t value = 0;
  for (size_t i = 0; i < size; ++i) value |= uint64_t{static_cast<uint8_t>(bytes_[i])} << (8 * i);
  bytes_.remove_prefix(size);
  return value;
}

double ByteReader::Double() { return std::bit_cast<double>(Fixed64()); }

uint64_t ByteReader::Varint() {
  uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    if (bytes_.empty()) return Fail();
    const auto byte = static_cast<uint8_t>(bytes_.front());
    bytes_.remove_prefix(1);
    value |= uint64_t{byte & 0x7fU} << shift;
    if (byte < 0x80) return value;
  }
  return Fail();
}

uint64_t ByteReader::Varint(uint64_t most) {
  const uint64_t value = Varint();
  return value <= most ? value : Fail();
}

int64_t ByteReader::Signed() {
  const uint64_t value = Varint();
  return static_cast<int64_t>(value >> 1 ^ (0 - (value & 1)));
}

std::string_view ByteReader::Text(size_t most) {
  const uint64_t size = Varint(std::min<uint64_t>(most, bytes_.size()));
  if (size > bytes_.size()) Fail();
  const std::string_view text = bytes_.substr(0, static_cast<size_t>(size));
  bytes_.remove_prefix(text.size());
  return text;
}

int32_t Rounded(float value, int bits) {
  const int shift = kMantissa - bits;
  auto magnitude = std::bit_cast<int32_t>(std::fabs(value));
  if (std::isnan(value)) return kNan >> shift;
  if (std::isfinite(value) && shift > 0) {
    const int32_t half = 1 << (shift - 1);
    // Without this limit, rounding would turn the largest numbers into infinity.
    magnitude = std::min(magnitude, kInfinity - 1 - half) + half;
  }
  magnitude >>= shift;
  return std::signbit(value) ? -magnitude : magnitude;
}

float Unrounded(int64_t rounded, int bits) {
  const int shift = kMantissa - bits;
  const int64_t most = kNan >> shift;
  const auto magnitude = static_cast<int32_t>(std::min(rounded < 0 ? -std::max(rounded, -most) : rounded, most));
  const auto value = std::bit_cast<float>(magnitude << shift);
  if (std::isnan(value)) return std::numeric_limits<float>::quiet_NaN();
  return rounded < 0 ? -value : value;
}

}  // namespace howdah::metrics
