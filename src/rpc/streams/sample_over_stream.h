// The client's end of a frame stream that samples the stacks of a task.
#pragma once

#include <boost/asio/io_context.hpp>

#include "howdah/rpc/streams/sample_stacks.h"
#include "run_over_stream.h"

namespace howdah::rpc::streams {

// As SampleStacks, over a stream that the caller provides. Runs `loop` until the answer.
Result<TaskStacks> SampleOverStream(boost::asio::io_context& loop, const StackRequest& request, Duration limit,
                                    const OpenStream& open);

}  // namespace howdah::rpc::streams
