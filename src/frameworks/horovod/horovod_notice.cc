#include "howdah/frameworks/horovod/horovod_notice.h"

#include "pickle.h"

namespace howdah::frameworks::horovod {
namespace {

using Kind = PickledValue::Kind;

// Encodes the number as eight bytes, little-endian.
std::string EightBytes(int64_t number) {
  std::string bytes;
  for (int shift = 0; shift < 64; shift += 8)
    bytes += static_cast<char>((static_cast<uint64_t>(number) >> shift) & 255);
  return bytes;
}

// Returns the port of a list such as (("10.0.0.7", 4000), ...). All addresses have the same port.
std::optional<uint16_t> PortOf(const PickledValue& addresses) {
  for (const PickledValue& address : addresses.items) {
    if (address.kind != Kind::kTuple || address.items.size() != 2 || address.items[1].kind != Kind::kInt) continue;
    const int64_t port = address.items[1].number;
    if (port > 0 && port <= UINT16_MAX) return static_cast<uint16_t>(port);
  }
  return std::nullopt;
}

}  // namespace

std::optional<NoticeAddress> ReadNoticeAddress(std::string_view pickle) {
  const auto value = Unpickle(pickle);
  if (!value || value->kind != Kind::kTuple || value->items.size() != 2) return std::nullopt;
  const PickledValue& interfaces = value->items[0];
  const PickledValue& key = value->items[1];
  if (interfaces.kind != Kind::kDict || key.kind != Kind::kBytes || key.text.empty()) return std::nullopt;
  for (size_t i = 1; i < interfaces.items.size(); i += 2) {
    if (const auto port = PortOf(interfaces.items[i])) return NoticeAddress{*port, std::string(key.text)};
  }
  return std::nullopt;
}

// Returns the pickle of HostsUpdatedRequest(timestamp, res) in protocol 2: the class, an empty tuple of arguments, a
// new object, and its fields. res is always 3 ("mixed"). With res "removed" the processes would skip the
// synchronization of state, and a process that joins at the same time would wait for it forever.
std::string HostsUpdated(int64_t second) {
  using namespace std::string_literals;
  return "\x80\x02"s +
         "chorovod.runner.elastic.worker\nHostsUpdatedRequest\n"s
         ")\x81}("s
         "X\x09\0\0\0timestamp"s +
         "\x8a\x08"s + EightBytes(second) + "X\x03\0\0\0resK\x03"s + "ub."s;
}

}  // namespace howdah::frameworks::horovod
