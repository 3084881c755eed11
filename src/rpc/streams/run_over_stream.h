// The client's end of a frame stream that runs a command in a task.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>

#include "howdah/rpc/frames.h"
#include "howdah/rpc/streams/run_remote.h"

namespace howdah::rpc::streams {

// Opens the stream to the AM. It calls the handlers on the loop's thread, never from within a function of the stream.
using OpenStream = std::function<std::unique_ptr<rpc::FrameStream>(rpc::FrameStream::Handlers handlers)>;

// As RunRemote, over a stream that the caller provides. Runs `loop` until the command has ended.
Result<int> RunOverStream(boost::asio::io_context& loop, const RemoteCommand& command, const OpenStream& open);

}  // namespace howdah::rpc::streams
