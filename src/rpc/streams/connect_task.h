// The client's end of the frame stream of one connection, in memory.
#pragma once

#include <functional>
#include <memory>

#include "howdah/rpc/frames.h"
#include "howdah/rpc/streams/task_connection.h"

namespace howdah::rpc::streams {

// Opens the stream to the AM. It calls the handlers on the loop's thread, never from within a function of the stream.
using OpenFrames = std::function<std::unique_ptr<rpc::FrameStream>(rpc::FrameStream::Handlers handlers)>;

// As TaskConnections::Open, over a stream that the caller provides.
std::unique_ptr<TaskConnection> ConnectTask(const Target& target, TaskConnection::Events events,
                                            const OpenFrames& open);

}  // namespace howdah::rpc::streams
