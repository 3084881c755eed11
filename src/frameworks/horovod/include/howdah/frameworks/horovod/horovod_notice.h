// How a process of elastic Horovod is told that it is to leave its world: objects that Python has pickled and is to
// unpickle, over a connection to it. (horovod 0.28.1, runner/elastic/worker.py and runner/common/util/network.py.)
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace howdah::frameworks::horovod {

// What a process puts under "/worker_addresses/...", once it is decoded from base64.
struct NoticeAddress {
  uint16_t port = 0;  // on every address of its machine
  std::string key;    // of the HMAC with SHA-256 that goes before every message, both ways
};
std::optional<NoticeAddress> ReadNoticeAddress(std::string_view pickle);

// The notice: as a message's body, which follows its HMAC of 32 bytes and its length in four, the lowest first. It is
// heeded at the next commit if its second, since the Unix epoch, is later than that of the last one.
std::string HostsUpdated(int64_t second);

}  // namespace howdah::frameworks::horovod
