// Fuzzed input: the frames that the AM sends to a client that runs a command in a task (test_received_frames.h).
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <boost/asio/post.hpp>
#include <cstddef>
#include <cstdint>
#include <string>

#include "howdah/os/files/fd.h"
#include "run_over_stream.h"
#include "test_received_frames.h"

namespace howdah::rpc::streams {

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::vector<wire::Frame> frames = FramesOf({reinterpret_cast<const char*>(data), size});
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return 0;
  const os::files::Fd in(ends[0]), user(ends[1]), out(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  static_cast<void>(::send(user.get(), "input", 5, MSG_NOSIGNAL));
  ::shutdown(user.get(), SHUT_WR);
  RemoteCommand command;
  command.argv = {"true"};
  command.in = in.get();
  command.out = command.err = out.get();
  command.passes_signals = false;
  boost::asio::io_context loop(1);
  const auto code = RunOverStream(loop, command, [&](rpc::FrameStream::Handlers handlers) {
    return std::make_unique<ReceivedFrames>(
        frames, std::move(handlers), [&loop](std::function<void()> task) { boost::asio::post(loop, std::move(task)); });
  });
  if (!code.ok() && code.error().message.empty()) __builtin_trap();
  return 0;
}

}  // namespace howdah::rpc::streams
