// The messages that notify a process of elastic Horovod of a membership change. They are pickled Python objects, sent
// over a TCP connection to the process. (horovod 0.28.1, runner/elastic/worker.py and runner/common/util/network.py.)
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace howdah::frameworks::horovod {

// The value that a process puts under "/worker_addresses/...", after base64 decoding.
struct NoticeAddress {
  uint16_t port = 0;  // the same for all addresses of the process's machine
  std::string key;    // key of the HMAC-SHA256 that precedes every message, in both directions
};
std::optional<NoticeAddress> ReadNoticeAddress(std::string_view pickle);

// Returns the body of the notification. The sender must prepend the body's HMAC (32 bytes) and length (4 bytes,
// little-endian). second: the time in seconds since the Unix epoch. Horovod acts on the notification at the next
// commit, if this time is later than the time in the previous notification.
std::string HostsUpdated(int64_t second);

}  // namespace howdah::frameworks::horovod
