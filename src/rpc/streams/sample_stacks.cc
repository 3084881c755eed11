#include "howdah/rpc/streams/sample_stacks.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <utility>

#include "howdah/rpc/frames.h"
#include "sample_over_stream.h"

namespace howdah::rpc::streams {
namespace {

namespace asio = boost::asio;

wire::Frame Opening(const StackRequest& request) {
  wire::Frame frame;
  wire::Open& open = *frame.mutable_open();
  open.set_role(request.role);
  open.set_index(request.index);
  open.mutable_stacks()->set_native(request.native);
  open.mutable_stacks()->set_signal(request.signal);
  return frame;
}

// The AM or the executor gives this reason.
Error FailureOf(const std::string& why) {
  if (why.empty()) return Failed("the AM gave no reason why it has no sample");
  // The answer of earlier versions.
  if (why == "unknown kind of stream")
    return Failed("the job was submitted with a version of howdah that cannot sample stacks");
  return Failed(why);
}

TaskStacks FromWire(const wire::TaskStacks& message) {
  TaskStacks task{.attempt = message.attempt(), .omitted = message.omitted()};
  for (const wire::ProcessStacks& of : message.processes()) {
    ProcessStacks& process = task.processes.emplace_back();
    process.pid = of.pid();
    if (of.has_local_rank()) process.local_rank = of.local_rank();
    process.state = of.state();
    process.tool = of.tool();
    process.stacks = of.stacks();
    process.problem = of.problem();
  }
  return task;
}

}  // namespace

Result<TaskStacks> SampleOverStream(asio::io_context& loop, const StackRequest& request, Duration limit,
                                    const OpenStream& open) {
  std::optional<Result<TaskStacks>> result;
  const auto end = [&](Result<TaskStacks> with) {
    if (!result) result = std::move(with);
    loop.stop();
  };
  asio::steady_timer timer(loop, limit);
  timer.async_wait([&](const boost::system::error_code& error) {
    if (!error) end(Error{ErrorCode::kTimeout, "no sample of the stacks within " + FormatDuration(limit)});
  });
  const auto stream = open({[&](const wire::Frame& frame) {
                              if (frame.has_stacks()) return end(FromWire(frame.stacks()));
                              if (frame.kind_case() == wire::Frame::kFailed) end(FailureOf(frame.failed()));
                            },
                            [&](const std::string& why) {
                              end(Error{ErrorCode::kUnavailable, why});
                            }});
  stream->Send(Opening(request));
  loop.run();
  return std::move(*result);
}

Result<TaskStacks> SampleStacks(const rpc::AmContact& am, const StackRequest& request, Duration limit) {
  asio::io_context loop(1);
  HOWDAH_TRY(const auto channel,
             rpc::FrameChannel::Make(
                 am.address, am.identity, [&loop](std::function<void()> f) { asio::post(loop, std::move(f)); }, limit));
  return SampleOverStream(loop, request, limit, [&channel](rpc::FrameStream::Handlers handlers) {
    return channel->Open(rpc::FrameChannel::Method::kTunnel, std::move(handlers));
  });
}

}  // namespace howdah::rpc::streams
