// Fuzzed input: frames of a client that runs a process in a task. One byte before each frame contains its length.
#include <signal.h>
#include <sys/wait.h>

#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <cstdint>
#include <string>

#include "howdah/rpc/streams/remote_endpoint.h"

namespace howdah::rpc::streams {

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  boost::asio::io_context loop;
  const std::string text(reinterpret_cast<const char*>(data), size);
  os::process::SpawnRequest request;
  request.program = "/bin/cat";
  request.argv = {"cat"};
  request.new_session = true;
  bool over = false;
  const RemoteProcess::Terminal terminal{"dumb", 24, 80};
  const bool with_terminal = size > 0 && (data[0] & 1) != 0;
  auto started = RemoteProcess::Start(loop, request, with_terminal ? &terminal : nullptr,
                                      {[](const wire::Frame&) {}, [&](bool) { over = true; }});
  if (!std::holds_alternative<std::unique_ptr<RemoteProcess>>(started)) return 0;
  const auto process = std::get<std::unique_ptr<RemoteProcess>>(std::move(started));
  for (std::string_view left = text; !left.empty() && !over;) {
    const std::string_view bytes = left.substr(1, static_cast<unsigned char>(left.front()));
    left.remove_prefix(1 + bytes.size());
    wire::Frame frame;
    if (frame.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) process->OnFrame(frame);
    loop.poll();
  }
  ::kill(-process->pid(), SIGKILL);
  ::waitpid(process->pid(), nullptr, 0);
  return 0;
}

}  // namespace howdah::rpc::streams
