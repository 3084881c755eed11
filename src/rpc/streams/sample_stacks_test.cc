#include <gmock/gmock.h>

#include <boost/asio/post.hpp>

#include "sample_over_stream.h"
#include "test_received_frames.h"

namespace howdah::rpc::streams {
namespace {

// Never answers, and records the frames that it was sent.
class SilentStream final : public rpc::FrameStream {
 public:
  explicit SilentStream(std::vector<wire::Frame>& sent) : sent_(sent) {}
  void Send(const wire::Frame& frame) override { sent_.push_back(frame); }
  void Finish() override {}

 private:
  std::vector<wire::Frame>& sent_;
};

Result<TaskStacks> SampleFrom(const std::vector<wire::Frame>& frames) {
  boost::asio::io_context loop(1);
  return SampleOverStream(loop, {.role = "worker"}, std::chrono::seconds(60), [&](rpc::FrameStream::Handlers handlers) {
    return std::make_unique<ReceivedFrames>(
        frames, std::move(handlers), [&loop](std::function<void()> task) { boost::asio::post(loop, std::move(task)); });
  });
}

wire::Frame FailedWith(const std::string& why) {
  wire::Frame frame;
  frame.set_failed(why);
  return frame;
}

TEST(SampleStacks, AnswerHasEachProcess) {
  wire::Frame frame;
  wire::TaskStacks& stacks = *frame.mutable_stacks();
  stacks.set_attempt(2);
  stacks.set_omitted(1);
  wire::ProcessStacks& process = *stacks.add_processes();
  process.set_pid(7);
  process.set_local_rank(0);
  process.set_state("python3 sleeps");
  process.set_tool("py-spy");
  process.set_stacks("Thread 7\xff");
  stacks.add_processes()->set_problem("no stack");
  const auto sample = SampleFrom({wire::Frame(), frame});
  ASSERT_TRUE(sample.ok()) << sample.error().message;
  EXPECT_EQ(sample->attempt, 2);
  EXPECT_EQ(sample->omitted, 1);
  ASSERT_EQ(sample->processes.size(), 2u);
  EXPECT_EQ(sample->processes[0].pid, 7);
  EXPECT_EQ(sample->processes[0].local_rank, 0);
  EXPECT_EQ(sample->processes[0].stacks, "Thread 7\xff");
  EXPECT_EQ(sample->processes[1].local_rank, std::nullopt);
  EXPECT_EQ(sample->processes[1].problem, "no stack");
}

TEST(SampleStacks, ReasonOfAFailureIsReturned) {
  const auto failed = SampleFrom({FailedWith("worker:0 is not running")});
  EXPECT_EQ(failed.error().code, ErrorCode::kFailed);
  EXPECT_EQ(failed.error().message, "worker:0 is not running");
  EXPECT_THAT(SampleFrom({FailedWith("")}).error().message, testing::HasSubstr("gave no reason"));
  EXPECT_THAT(SampleFrom({FailedWith("unknown kind of stream")}).error().message,
              testing::HasSubstr("submitted with a version of howdah that cannot sample stacks"));
  EXPECT_EQ(SampleFrom({}).error().code, ErrorCode::kUnavailable);
}

TEST(SampleStacks, RequestIsSentAndTheWaitIsLimited) {
  std::vector<wire::Frame> sent;
  boost::asio::io_context loop(1);
  const auto sample =
      SampleOverStream(loop, {.role = "worker", .index = 3, .native = true, .signal = 10}, std::chrono::milliseconds(1),
                       [&](const rpc::FrameStream::Handlers&) { return std::make_unique<SilentStream>(sent); });
  EXPECT_EQ(sample.error().code, ErrorCode::kTimeout);
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_EQ(sent[0].open().role(), "worker");
  EXPECT_EQ(sent[0].open().index(), 3);
  EXPECT_TRUE(sent[0].open().stacks().native());
  EXPECT_EQ(sent[0].open().stacks().signal(), 10);
}

}  // namespace
}  // namespace howdah::rpc::streams
