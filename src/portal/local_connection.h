// Connections to servers on this machine, for the relay.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <memory>

#include "howdah/web/relay.h"

namespace howdah::portal {

// Connects to a server on the loopback interface. It holds at most 1 MiB of received bytes that were not taken. An
// event never occurs within this call.
std::unique_ptr<web::Upstream> ConnectLocally(boost::asio::io_context& loop, uint16_t port,
                                              web::Upstream::Events events);

}  // namespace howdah::portal
