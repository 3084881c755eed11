// Notifies a process of elastic Horovod of a membership change: pickled Python objects, over a connection to the
// process. (horovod 0.28.1, runner/elastic/worker.py and runner/common/util/network.py.)
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace howdah::frameworks::horovod {

// The value that a process puts under "/worker_addresses/...", after base64 decoding.
struct NoticeAddress {
  uint16_t port = 0;  // the same on all addresses of its machine
  std::string key;    // of the HMAC (SHA-256) in front of every message, in both directions
};
std::optional<NoticeAddress> ReadNoticeAddress(std::string_view pickle);

// The body of the notification, which is sent after its HMAC (32 bytes) and its length (4 bytes, little-endian).
// Horovod acts on it at the next commit if the second (since the Unix epoch) is later than that of the last
// notification.
std::string HostsUpdated(int64_t second);

}  // namespace howdah::frameworks::horovod
