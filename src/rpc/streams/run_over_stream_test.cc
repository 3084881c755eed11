#include "run_over_stream.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <boost/asio/post.hpp>
#include <climits>

#include "howdah/os/files/fd.h"
#include "test_received_frames.h"

namespace howdah::rpc::streams {
namespace {

wire::Frame Opened() {
  wire::Frame frame;
  frame.mutable_opened();
  return frame;
}

wire::Frame Exited(std::optional<int> code, std::optional<int> signal = std::nullopt) {
  wire::Frame frame;
  if (code) frame.mutable_exited()->set_code(*code);
  if (signal) frame.mutable_exited()->set_signal(*signal);
  return frame;
}

Result<int> RunWith(const std::vector<wire::Frame>& frames) {
  const os::files::Fd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  RemoteCommand command;
  command.argv = {"true"};
  command.in = command.out = command.err = null.get();
  command.passes_signals = false;
  boost::asio::io_context loop(1);
  return RunOverStream(loop, command, [&](rpc::FrameStream::Handlers handlers) {
    return std::make_unique<ReceivedFrames>(
        frames, std::move(handlers), [&loop](std::function<void()> task) { boost::asio::post(loop, std::move(task)); });
  });
}

TEST(RunOverStream, ExitOfTheCommandIsReturned) {
  const struct {
    wire::Frame exited;
    int code;
  } rows[] = {{Exited(0), 0},
              {Exited(3), 3},
              {Exited(std::nullopt, 9), 137},
              // Numbers that no process can have.
              {Exited(256), 255},
              {Exited(-1), 255},
              {Exited(INT_MAX), 255},
              {Exited(std::nullopt, INT_MAX), 255},
              {Exited(std::nullopt, 0), 129},
              {Exited(std::nullopt, INT_MIN), 129}};
  for (const auto& row : rows) {
    const auto code = RunWith({Opened(), row.exited});
    ASSERT_TRUE(code.ok()) << testing::PrintToString(row.exited.SerializeAsString());
    EXPECT_EQ(*code, row.code) << testing::PrintToString(row.exited.SerializeAsString());
  }
}

TEST(RunOverStream, RepeatedFramesAreIgnored) {
  const auto code = RunWith({Opened(), Opened(), Exited(3), Opened(), Exited(3)});
  EXPECT_TRUE(code.ok() && *code == 3);
}

TEST(RunOverStream, EndWithoutExitIsAnError) {
  EXPECT_EQ(RunWith({}).error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(RunWith({Opened()}).error().code, ErrorCode::kUnavailable);
  wire::Frame failed;
  failed.set_failed("the task is not running");
  EXPECT_EQ(RunWith({failed}).error().message, "the task is not running");
  failed.set_failed("");
  EXPECT_EQ(RunWith({failed}).error().message, "the AM gave no reason why the command did not start");
}

}  // namespace
}  // namespace howdah::rpc::streams
