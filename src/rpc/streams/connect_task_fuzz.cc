// Fuzzed input: the frames that the AM sends to a client that has opened a connection to a server in a task
// (test_received_frames.h).
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>

#include "connect_task.h"
#include "test_received_frames.h"

namespace howdah::rpc::streams {

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::vector<wire::Frame> frames = FramesOf({reinterpret_cast<const char*>(data), size});
  std::deque<std::function<void()>> tasks;
  bool opened = false, ended = false, failed = false;
  std::unique_ptr<TaskConnection> connection;
  const auto check = [&](bool legal) {
    if (!legal || failed) __builtin_trap();
  };
  connection = ConnectTask({"worker", 0, 8080},
                           {[&] {
                              check(!opened);
                              opened = true;
                              connection->Send("request");
                            },
                            [&](const std::string& bytes) {
                              check(opened && !ended && !bytes.empty());
                              connection->Take(bytes.size());
                            },
                            [&] {
                              check(opened && !ended);
                              ended = true;
                              connection->End();
                            },
                            [&](size_t) { check(true); },
                            [&](const TaskConnection::Failure&) {
                              check(true);
                              failed = true;
                            }},
                           [&](rpc::FrameStream::Handlers handlers) {
                             return std::make_unique<ReceivedFrames>(
                                 frames, std::move(handlers),
                                 [&](std::function<void()> task) { tasks.push_back(std::move(task)); });
                           });
  for (; !tasks.empty(); tasks.pop_front()) tasks.front()();
  if (!ended && !failed) __builtin_trap();
  return 0;
}

}  // namespace howdah::rpc::streams
