// The client's ends of the frame streams of a forwarded port.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "howdah/rpc/frames.h"
#include "howdah/rpc/streams/port_forward.h"

namespace howdah::rpc::streams {

using MakeChannel = std::function<Result<std::unique_ptr<rpc::FrameChannel>>(const rpc::AmContact& am, rpc::Post post)>;

// As PortForward::Start, over channels that the caller provides.
Result<std::unique_ptr<PortForward>> StartForward(uint16_t port, const rpc::AmContact& am, const Target& target,
                                                  std::function<void(const std::string& line)> on_problem,
                                                  MakeChannel make_channel);

}  // namespace howdah::rpc::streams
