// Tells a process of elastic Horovod that it is to leave its world (rendezvous/horovod_notice.h has what is said).
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "howdah/frameworks/horovod/horovod_notice.h"

namespace howdah::am {

// What a process has put of itself: in base64, as it stands in its request. nullopt: it cannot be understood.
std::optional<frameworks::horovod::NoticeAddress> DecodeNoticeAddress(const std::string& body);

// The message as it goes over the connection: its HMAC, its length, itself.
std::string Sealed(const std::string& key, std::string_view body);

// Connects, says it once and waits for the answer, five seconds at most. done: called once, on the loop: whether the
// process has answered.
void SendNotice(boost::asio::io_context& loop, const std::string& host,
                const frameworks::horovod::NoticeAddress& address, std::string_view body,
                std::function<void(bool heard)> done);

}  // namespace howdah::am
