#include "howdah/rpc/streams/task_connection.h"

#include <algorithm>
#include <utility>

#include "channel_io.h"
#include "connect_task.h"
#include "opening_frame.h"

namespace howdah::rpc::streams {
namespace {

constexpr Duration kConnectTaskLimit = std::chrono::seconds(10);
static_assert(TaskConnection::kMostInFlight == kWindow);

// An event may destroy the connection, so no field is used after one, and the events outlive it while one runs.
class FramedConnection final : public TaskConnection {
 public:
  FramedConnection(const Target& target, Events events, const OpenFrames& open)
      : events_(std::make_shared<const Events>(std::move(events))) {
    stream_ = open(
        {[this](wire::Frame frame) { OnFrame(std::move(frame)); }, [this](const std::string& why) { OnClosed(why); }});
    stream_->Send(OpeningFrame(target));
  }

  void Send(std::string bytes) override {
    if (sent_end_ || failed_) return;
    for (size_t at = 0; at < bytes.size(); at += kBlock) {
      wire::Frame frame;
      frame.mutable_data()->set_channel(wire::INPUT);
      const bool whole = bytes.size() <= kBlock;
      frame.mutable_data()->set_bytes(whole ? std::move(bytes) : bytes.substr(at, kBlock));
      stream_->Send(frame);
      if (whole) return;
    }
  }

  void End() override {
    if (failed_ || std::exchange(sent_end_, true)) return;
    wire::Frame frame;
    frame.set_end(wire::INPUT);
    stream_->Send(frame);
    if (received_end_) stream_->Finish();
  }

  void Take(size_t bytes) override {
    unreported_ += bytes;
    if (unreported_ < kTakenStep || received_end_ || failed_) return;
    in_flight_ -= std::min(in_flight_, unreported_);
    wire::Frame frame;
    frame.mutable_taken()->set_channel(wire::OUTPUT);
    frame.mutable_taken()->set_bytes(std::exchange(unreported_, 0));
    stream_->Send(frame);
  }

 private:
  template <typename Event, typename... Arguments>
  void Call(Event event, Arguments&&... arguments) {
    const auto events = events_;
    ((*events).*event)(std::forward<Arguments>(arguments)...);
  }

  void OnFrame(wire::Frame frame) {
    if (failed_) return;
    switch (frame.kind_case()) {
      case wire::Frame::kOpened:
        if (!std::exchange(opened_, true)) Call(&Events::on_open);
        return;
      case wire::Frame::kFailed:
        return Fail(frame.failed(), /*refused=*/true);
      case wire::Frame::kData:
        if (frame.data().channel() == wire::OUTPUT) OnBytes(std::move(*frame.mutable_data()->mutable_bytes()));
        return;
      case wire::Frame::kEnd:
        if (frame.end() != wire::OUTPUT || !opened_ || std::exchange(received_end_, true)) return;
        if (sent_end_) stream_->Finish();
        return Call(&Events::on_end);
      case wire::Frame::kTaken:
        if (frame.taken().channel() == wire::INPUT) Call(&Events::on_taken, frame.taken().bytes());
        return;
      default:
        return;  // a frame for processes, or a frame of a later version
    }
  }

  void OnBytes(std::string bytes) {
    if (!opened_ || received_end_ || bytes.empty()) return;
    in_flight_ += bytes.size();
    if (in_flight_ > kMostInFlight) return Fail("the executor of the task sends more than it may", /*refused=*/false);
    Call(&Events::on_bytes, std::move(bytes));
  }

  void OnClosed(const std::string& why) {
    if (received_end_ && sent_end_) return;
    Fail(why, /*refused=*/false);
  }

  void Fail(const std::string& why, bool refused) {
    if (!std::exchange(failed_, true)) Call(&Events::on_failed, Failure{why, opened_, refused});
  }

  const std::shared_ptr<const Events> events_;
  std::unique_ptr<rpc::FrameStream> stream_;
  size_t in_flight_ = 0, unreported_ = 0;  // received bytes
  bool opened_ = false, sent_end_ = false, received_end_ = false, failed_ = false;
};

class ConnectionsOfJob final : public TaskConnections {
 public:
  explicit ConnectionsOfJob(std::unique_ptr<rpc::FrameChannel> channel) : channel_(std::move(channel)) {}

  std::unique_ptr<TaskConnection> Open(const Target& target, TaskConnection::Events events) override {
    return ConnectTask(target, std::move(events), [this](rpc::FrameStream::Handlers handlers) {
      return channel_->Open(rpc::FrameChannel::Method::kTunnel, std::move(handlers));
    });
  }

 private:
  std::unique_ptr<rpc::FrameChannel> channel_;
};

}  // namespace

std::unique_ptr<TaskConnection> ConnectTask(const Target& target, TaskConnection::Events events,
                                            const OpenFrames& open) {
  return std::make_unique<FramedConnection>(target, std::move(events), open);
}

Result<std::unique_ptr<TaskConnections>> TaskConnections::Make(const rpc::AmContact& am, rpc::Post post) {
  HOWDAH_TRY(auto channel, rpc::FrameChannel::Make(am.address, am.identity, std::move(post), kConnectTaskLimit));
  return std::unique_ptr<TaskConnections>(std::make_unique<ConnectionsOfJob>(std::move(channel)));
}

}  // namespace howdah::rpc::streams
