#include "remote_streams.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <memory>
#include <optional>
#include <vector>

#include "howdah/os/process/testing.h"

namespace howdah::executor {
namespace {

// The AM's side of one stream.
struct Peer {
  rpc::FrameStream::Handlers handlers;
  std::vector<wire::Frame> received;

  bool Opened() const {
    return std::any_of(received.begin(), received.end(), [](const wire::Frame& frame) { return frame.has_opened(); });
  }
};

class Stream final : public rpc::FrameStream {
 public:
  explicit Stream(Peer& peer) : peer_(peer) {}
  void Send(const wire::Frame& frame) override { peer_.received.push_back(frame); }
  void Finish() override {}

 private:
  Peer& peer_;
};

class Channel final : public rpc::FrameChannel {
 public:
  explicit Channel(std::vector<std::unique_ptr<Peer>>& peers) : peers_(peers) {}
  std::unique_ptr<rpc::FrameStream> Open(Method, rpc::FrameStream::Handlers handlers) override {
    peers_.push_back(std::make_unique<Peer>(Peer{std::move(handlers), {}}));
    return std::make_unique<Stream>(*peers_.back());
  }

 private:
  std::vector<std::unique_ptr<Peer>>& peers_;
};

wire::Frame OpenProcess() {
  wire::Frame frame;
  frame.mutable_open()->mutable_process();
  return frame;
}

TEST(RemoteStreams, TunnelOfTheNextAmIsNotThatOfAnEndingStream) {
  boost::asio::io_context loop;
  std::vector<std::unique_ptr<Peer>> peers;
  std::vector<pid_t> started;
  RemoteStreams streams(
      loop,
      [&](const rpc::Post&) -> Result<std::unique_ptr<rpc::FrameChannel>> {
        return std::unique_ptr<rpc::FrameChannel>(std::make_unique<Channel>(peers));
      },
      [](const jobspec::Command&) {
        Launch launch;
        launch.request = os::process::Bash("trap '' HUP; exec sleep 86399", "/");
        return std::optional(std::move(launch));
      },
      [&](pid_t pid) { started.push_back(pid); }, [] { return std::nullopt; });
  streams.Open(1);
  peers[0]->handlers.on_frame(OpenProcess());
  EXPECT_TRUE(peers[0]->Opened());
  peers[0]->handlers.on_closed("the application master has died");
  streams.Open(1);
  EXPECT_EQ(peers[1]->received.at(0).accept_tunnel(), 1u);
  peers[1]->handlers.on_frame(OpenProcess());
  EXPECT_TRUE(peers[1]->Opened());
  EXPECT_EQ(started.size(), 2u);
  streams.Close();  // kills the processes
  for (const pid_t pid : started) ::waitpid(pid, nullptr, 0);
}

}  // namespace
}  // namespace howdah::executor
