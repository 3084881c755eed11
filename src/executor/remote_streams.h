// Streams from clients into the task: connections to its servers, and commands in its environment.
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

namespace howdah::executor {

// Makes the connection to the AM that carries the streams; called for the first stream.
using MakeChannel = std::function<Result<std::unique_ptr<rpc::FrameChannel>>(rpc::Post post)>;

// The streams have a connection of their own, so that their bytes never delay a heartbeat. On the executor's loop.
class RemoteStreams {
 public:
  // prepare: a command in the environment of the running attempt; nullopt: the task is not running.
  using Prepare = std::function<std::optional<Launch>(const jobspec::Command& command)>;
  // on_started: a command was started.
  RemoteStreams(boost::asio::io_context& loop, MakeChannel make_channel, Prepare prepare,
                std::function<void(pid_t pid)> on_started);

  // Opens the stream that the AM has announced.
  void Open(uint64_t id);
  // A child of the executor has ended.
  void OnReaped(const os::process::Reaped& child);
  // Ends every stream.
  void Close();

 private:
  struct Stream {
    std::unique_ptr<rpc::streams::RemoteEndpoint> end;
    std::unique_ptr<rpc::FrameStream> stream;
    rpc::streams::RemoteProcess* process = nullptr;  // if `end` is one
    bool closed = false;                             // by the client
    bool ended = false;                              // its process or connection has ended
  };
  void OnFrame(uint64_t id, const wire::Frame& frame);
  void OnOpen(uint64_t id, const wire::Open& open);
  void StartProcess(uint64_t id, const wire::Process& process);
  void OnClosed(uint64_t id);
  void OnEnded(uint64_t id, bool broken);
  void Fail(uint64_t id, const std::string& why);
  rpc::streams::RemoteEndpoint::Handlers HandlersOf(uint64_t id);

  boost::asio::io_context& loop_;
  MakeChannel make_channel_;
  Prepare prepare_;
  std::function<void(pid_t pid)> on_started_;
  std::unique_ptr<rpc::FrameChannel> channel_;
  std::unordered_map<uint64_t, Stream> streams_;
};

}  // namespace howdah::executor
