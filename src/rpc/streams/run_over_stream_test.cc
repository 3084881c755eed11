#include "run_over_stream.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

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

// out: receives the output of the command; nullptr: nothing does.
Result<int> RunWith(const std::vector<wire::Frame>& frames, const os::files::Fd* out = nullptr) {
  const os::files::Fd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  RemoteCommand command;
  command.argv = {"true"};
  command.in = command.out = command.err = null.get();
  if (out != nullptr) command.out = out->get();
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

TEST(RunOverStream, OutputThatCannotBeWrittenIsAnError) {
  wire::Frame data;
  data.mutable_data()->set_bytes("x");
  const os::files::Fd full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
  const auto code = RunWith({Opened(), data, Exited(0)}, &full);
  ASSERT_FALSE(code.ok()) << *code;
  EXPECT_EQ(code.error().message, "the output of the command: writing: No space left on device");

  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  signal(SIGPIPE, SIG_IGN);
  const os::files::Fd without_reader(ends[1]);
  close(ends[0]);
  EXPECT_EQ(*RunWith({Opened(), data, Exited(0)}, &without_reader), 128 + SIGPIPE);
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
