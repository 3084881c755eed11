// Fuzzed input: the frames that the AM sends to a client whose user has connected to a forwarded port
// (test_received_frames.h).
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "howdah/os/files/fd.h"
#include "start_forward.h"
#include "test_received_frames.h"

namespace howdah::rpc::streams {
namespace {

class Channel final : public rpc::FrameChannel {
 public:
  Channel(const std::vector<wire::Frame>& frames, rpc::Post post) : frames_(frames), post_(std::move(post)) {}
  std::unique_ptr<rpc::FrameStream> Open(Method, rpc::FrameStream::Handlers handlers) override {
    return std::make_unique<ReceivedFrames>(frames_, std::move(handlers), post_);
  }

 private:
  const std::vector<wire::Frame>& frames_;
  rpc::Post post_;
};

// Connects to a port of this machine, sends a few bytes, and reads until the connection has ended.
void UseConnection(uint16_t port) {
  const os::files::Fd user(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(user.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return;
  static_cast<void>(::send(user.get(), "request", 7, MSG_NOSIGNAL));
  ::shutdown(user.get(), SHUT_WR);
  char bytes[4096];
  while (::recv(user.get(), bytes, sizeof bytes, 0) > 0) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::vector<wire::Frame> frames = FramesOf({reinterpret_cast<const char*>(data), size});
  const auto forward = StartForward(
      0, {}, {"worker", 0, 8080}, [](const std::string&) {},
      [&](const rpc::AmContact&, rpc::Post post) -> Result<std::unique_ptr<rpc::FrameChannel>> {
        return std::unique_ptr<rpc::FrameChannel>(std::make_unique<Channel>(frames, std::move(post)));
      });
  if (forward.ok()) UseConnection((*forward)->port());
  return 0;
}

}  // namespace howdah::rpc::streams
