// Asks a process of elastic Horovod to leave its generation. frameworks/horovod/horovod_notice.h defines the messages.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "howdah/frameworks/horovod/horovod_notice.h"

namespace howdah::am {

// Parses the address that a process has registered. body: base64, as in the request of the process. Returns nullopt if
// it cannot be parsed.
std::optional<frameworks::horovod::NoticeAddress> DecodeNoticeAddress(const std::string& body);

// Returns the message as it is sent over the connection: HMAC, length, body.
std::string Sealed(const std::string& key, std::string_view body);

// Connects to the process, sends the message once, and waits at most five seconds for the answer. done is called once,
// on the loop. Its argument says whether the process has answered.
void SendNotice(boost::asio::io_context& loop, const std::string& host,
                const frameworks::horovod::NoticeAddress& address, std::string_view body,
                std::function<void(bool answered)> done);

}  // namespace howdah::am
