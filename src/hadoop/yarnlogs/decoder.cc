#include "decoder.h"

namespace howdah::hadoop::yarnlogs {

int VLongTail(uint8_t first) {
  const int value = static_cast<int8_t>(first);
  if (value >= -32) return 0;
  if (value >= -72) return 1;
  if (value >= -104) return 2;
  if (value >= -120) return 3;
  return value >= -125 ? value + 129 : -1;
}

int64_t VLongOf(uint8_t first, std::string_view tail) {
  // If fewer than four bytes follow, the first byte also contains the highest part of the value, less the bias below,
  // which depends on the number of following bytes. Otherwise the first byte contains only their number.
  constexpr int kBias[] = {0, 52, 88, 112};
  int64_t high = 0;
  if (tail.size() < 4) {
    high = static_cast<int8_t>(first) + kBias[tail.size()];
  } else if ((static_cast<uint8_t>(tail.front()) & 0x80) != 0) {
    high = -1;
  }
  auto number = static_cast<uint64_t>(high);
  for (const char c : tail) number = number << 8 | static_cast<uint8_t>(c);
  return static_cast<int64_t>(number);
}

int64_t Decoder::VLong() {
  const uint8_t first = U8();
  const int tail = VLongTail(first);
  if (tail < 0) ok_ = false;
  const std::string_view bytes = Bytes(tail);
  return ok_ ? VLongOf(first, bytes) : 0;
}

std::string_view Decoder::Bytes(int64_t size) {
  if (!ok_ || size < 0 || static_cast<uint64_t>(size) > bytes_.size()) {
    ok_ = false;
    return {};
  }
  const std::string_view bytes = bytes_.substr(0, static_cast<size_t>(size));
  bytes_.remove_prefix(bytes.size());
  return bytes;
}

uint64_t Decoder::BigEndian(size_t size) {
  uint64_t number = 0;
  for (const char c : Bytes(static_cast<int64_t>(size))) number = number << 8 | static_cast<uint8_t>(c);
  return number;
}

}  // namespace howdah::hadoop::yarnlogs
