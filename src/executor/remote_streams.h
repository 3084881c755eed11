// Frame streams from clients into the task: connections to the task's servers, commands in the task's environment, and
// samples of its stacks.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "howdah/os/process/tree.h"
#include "howdah/rpc/frames.h"
#include "howdah/rpc/streams/remote_endpoint.h"
#include "launch.h"
#include "task_stacks.h"

namespace howdah::executor {

// Makes the connection to the AM that carries the streams. Called when the first stream is opened.
using MakeChannel = std::function<Result<std::unique_ptr<rpc::FrameChannel>>(rpc::Post post)>;

// The streams have a connection of their own, so that their bytes never delay a heartbeat. Used on the executor's loop
// only.
class RemoteStreams {
 public:
  // Prepares a command in the environment of the running attempt. Returns nullopt if the task is not running.
  using Prepare = std::function<std::optional<Launch>(const jobspec::Command& command)>;
  // on_started is called when a command was started. stack_target returns nullopt if the task is not running.
  RemoteStreams(boost::asio::io_context& loop, MakeChannel make_channel, Prepare prepare,
                std::function<void(pid_t pid)> on_started, std::function<std::optional<StackTarget>()> stack_target);

  // Opens the stream that the AM has announced with this id of a tunnel.
  void Open(uint64_t tunnel);
  // Call it when a child of the executor has ended.
  void OnReaped(const os::process::Reaped& child);
  // Ends every stream.
  void Close();

 private:
  struct Stream {
    std::unique_ptr<rpc::streams::RemoteEndpoint> end;
    std::unique_ptr<rpc::FrameStream> stream;
    rpc::streams::RemoteProcess* process = nullptr;  // the same object as `end` if it is a process, otherwise nullptr
    bool closed = false;                             // the client has closed the stream
    bool ended = false;                              // the process or connection has ended
  };
  void OnFrame(uint64_t id, const wire::Frame& frame);
  void OnOpen(uint64_t id, const wire::Open& open);
  void StartProcess(uint64_t id, const wire::Process& process);
  void SampleStacks(uint64_t id, const wire::Stacks& wanted);
  void OnClosed(uint64_t id);
  void OnEnded(uint64_t id, bool broken);
  void Fail(uint64_t id, const std::string& why);
  rpc::streams::RemoteEndpoint::Handlers HandlersOf(uint64_t id);

  boost::asio::io_context& loop_;
  MakeChannel make_channel_;
  Prepare prepare_;
  std::function<void(pid_t pid)> on_started_;
  std::function<std::optional<StackTarget>()> stack_target_;
  std::unique_ptr<rpc::FrameChannel> channel_;
  // By a number of this executor. The AM's ids are not used, because a stream can end after the AM that has opened it.
  std::unordered_map<uint64_t, Stream> streams_;
  uint64_t last_id_ = 0;
};

}  // namespace howdah::executor
