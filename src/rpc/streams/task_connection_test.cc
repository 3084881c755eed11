#include "howdah/rpc/streams/task_connection.h"

#include <gmock/gmock.h>

#include "channel_io.h"
#include "connect_task.h"

namespace howdah::rpc::streams {
namespace {

using testing::ElementsAre;

// The frames that the connection has sent, and its handlers.
struct FakeAm {
  std::vector<wire::Frame> sent;
  rpc::FrameStream::Handlers handlers;
  bool finished = false;
};

class RecordedStream final : public rpc::FrameStream {
 public:
  explicit RecordedStream(FakeAm& am) : am_(am) {}
  void Send(const wire::Frame& frame) override { am_.sent.push_back(frame); }
  void Finish() override { am_.finished = true; }

 private:
  FakeAm& am_;
};

wire::Frame OpenedFrame() {
  wire::Frame frame;
  frame.mutable_opened();
  return frame;
}
wire::Frame BytesFrame(const std::string& bytes, wire::Channel channel = wire::OUTPUT) {
  wire::Frame frame;
  frame.mutable_data()->set_channel(channel);
  frame.mutable_data()->set_bytes(bytes);
  return frame;
}
wire::Frame EndFrame(wire::Channel channel) {
  wire::Frame frame;
  frame.set_end(channel);
  return frame;
}
wire::Frame TakenFrame(uint64_t bytes) {
  wire::Frame frame;
  frame.mutable_taken()->set_channel(wire::INPUT);
  frame.mutable_taken()->set_bytes(bytes);
  return frame;
}

class TaskConnectionTest : public testing::Test {
 protected:
  explicit TaskConnectionTest(const Target& target = {"worker", 1, 8888}) {
    connection_ = ConnectTask(target,
                              {[this] { seen_.emplace_back("open"); },
                               [this](const std::string& bytes) { seen_.push_back("bytes " + bytes.substr(0, 20)); },
                               [this] { seen_.emplace_back("end"); },
                               [this](size_t bytes) { seen_.push_back("taken " + std::to_string(bytes)); },
                               [this](const TaskConnection::Failure& failure) {
                                 seen_.push_back((failure.opened ? "broken: " : "failed: ") + failure.why +
                                                 (failure.refused ? " (refused)" : ""));
                               }},
                              [this](rpc::FrameStream::Handlers handlers) {
                                am_.handlers = std::move(handlers);
                                return std::make_unique<RecordedStream>(am_);
                              });
  }
  void Receive(const wire::Frame& frame) { am_.handlers.on_frame(frame); }

  FakeAm am_;
  std::vector<std::string> seen_;
  std::unique_ptr<TaskConnection> connection_;
};

TEST_F(TaskConnectionTest, BytesPassInBothDirections) {
  ASSERT_EQ(am_.sent.size(), 1U);
  EXPECT_EQ(am_.sent[0].open().role(), "worker");
  EXPECT_EQ(am_.sent[0].open().index(), 1);
  EXPECT_EQ(am_.sent[0].open().port(), 8888U);
  Receive(OpenedFrame());
  connection_->Send("question");
  EXPECT_EQ(am_.sent[1].data().bytes(), "question");
  EXPECT_EQ(am_.sent[1].data().channel(), wire::INPUT);
  Receive(TakenFrame(8));
  Receive(BytesFrame("answer"));
  EXPECT_THAT(seen_, ElementsAre("open", "taken 8", "bytes answer"));
}

TEST_F(TaskConnectionTest, LargeTextIsSentInSeveralFrames) {
  Receive(OpenedFrame());
  const std::string text = std::string(kBlock, 'a') + std::string(kBlock, 'b') + "c";
  connection_->Send(text);
  std::string sent;
  for (size_t i = 1; i < am_.sent.size(); ++i) {
    EXPECT_LE(am_.sent[i].data().bytes().size(), kBlock);
    sent += am_.sent[i].data().bytes();
  }
  EXPECT_EQ(am_.sent.size(), 4U);
  EXPECT_EQ(sent, text);
}

TEST_F(TaskConnectionTest, DirectionsEndSeparately) {
  Receive(OpenedFrame());
  connection_->End();
  connection_->Send("too late");
  ASSERT_EQ(am_.sent.size(), 2U);
  EXPECT_EQ(am_.sent[1].end(), wire::INPUT);
  EXPECT_FALSE(am_.finished);
  Receive(BytesFrame("answer"));
  Receive(EndFrame(wire::INPUT));  // of the other direction: a defect of the peer, which changes nothing
  Receive(EndFrame(wire::OUTPUT));
  EXPECT_TRUE(am_.finished);
  am_.handlers.on_closed("closed");
  EXPECT_THAT(seen_, ElementsAre("open", "bytes answer", "end"));
}

TEST_F(TaskConnectionTest, TakenBytesAreReportedInSteps) {
  Receive(OpenedFrame());
  const std::string block(kBlock, 'x');
  for (size_t i = 0; i < 4; ++i) {
    Receive(BytesFrame(block));
    connection_->Take(block.size());
  }
  ASSERT_EQ(am_.sent.size(), 2U);
  EXPECT_EQ(am_.sent[1].taken().bytes(), TaskConnection::kTakenStep);
  EXPECT_EQ(am_.sent[1].taken().channel(), wire::OUTPUT);
}

TEST_F(TaskConnectionTest, PeerThatExceedsTheWindowIsDisconnected) {
  Receive(OpenedFrame());
  const std::string block(kBlock, 'x');
  for (size_t sent = 0; sent <= kWindow; sent += kBlock) Receive(BytesFrame(block));
  EXPECT_EQ(seen_.back(), "broken: the executor of the task sends more than it may");
  Receive(BytesFrame("more"));
  EXPECT_EQ(seen_.back(), "broken: the executor of the task sends more than it may");
}

TEST_F(TaskConnectionTest, FailuresSayWhetherAnotherAttemptCanHelp) {
  wire::Frame failed;
  failed.set_failed("port 8888 of the task's machine: Connection refused");
  Receive(failed);
  am_.handlers.on_closed("closed");
  EXPECT_THAT(seen_, ElementsAre("failed: port 8888 of the task's machine: Connection refused (refused)"));
}

TEST_F(TaskConnectionTest, LostAmIsReported) {
  am_.handlers.on_closed("the AM cannot be reached");
  EXPECT_THAT(seen_, ElementsAre("failed: the AM cannot be reached"));
}

TEST_F(TaskConnectionTest, BrokenConnectionIsNotAnEnd) {
  Receive(OpenedFrame());
  Receive(BytesFrame("half"));
  connection_->End();
  am_.handlers.on_closed("the connection broke");
  EXPECT_THAT(seen_, ElementsAre("open", "bytes half", "broken: the connection broke"));
}

TEST_F(TaskConnectionTest, OrderOfAHostilePeerIsChecked) {
  Receive(BytesFrame("before the connection was made"));
  Receive(EndFrame(wire::OUTPUT));
  Receive(OpenedFrame());
  Receive(OpenedFrame());
  Receive(EndFrame(wire::OUTPUT));
  Receive(BytesFrame("after the end"));
  EXPECT_THAT(seen_, ElementsAre("open", "end"));
}

// The owner of a connection reacts to its failure with another attempt.
TEST(TaskConnectionOwner, EventMayDestroyTheConnection) {
  FakeAm am;
  std::unique_ptr<TaskConnection> connection;
  std::string seen;
  const auto destroy = [&connection, &seen, text = std::string(100, 'x')] {
    connection = nullptr;
    seen = text;
  };
  connection = ConnectTask({}, {destroy, nullptr, nullptr, nullptr, nullptr}, [&](rpc::FrameStream::Handlers handlers) {
    am.handlers = std::move(handlers);
    return std::make_unique<RecordedStream>(am);
  });
  am.handlers.on_frame(OpenedFrame());
  EXPECT_EQ(seen, std::string(100, 'x'));
}

class TensorBoardConnectionTest : public TaskConnectionTest {
 protected:
  TensorBoardConnectionTest() : TaskConnectionTest(Target{}) {}
};

TEST_F(TensorBoardConnectionTest, EmptyRoleMeansTheTensorBoardOfTheJob) {
  EXPECT_TRUE(am_.sent.at(0).open().has_tensorboard());
}

}  // namespace
}  // namespace howdah::rpc::streams
