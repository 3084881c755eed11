// What reaches into the task from outside: connections to its servers, and commands in its surroundings.
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

// Makes the connection to the AM that streams go through; called when the first is wanted. An error: there is none.
using MakeChannel = std::function<Result<std::unique_ptr<rpc::FrameChannel>>(rpc::Post post)>;

// On the executor's loop. The streams have a connection of their own, so that no amount of bytes holds up a heartbeat.
class Tunnels {
 public:
  // prepare: how a command is started in the task's surroundings as they are now; nullopt: the task does not run.
  using Prepare = std::function<std::optional<Launch>(const jobspec::Command& command)>;
  // on_started: a command runs, as this process.
  Tunnels(boost::asio::io_context& loop, MakeChannel make_channel, Prepare prepare,
          std::function<void(pid_t pid)> on_started);

  // The AM wants a stream.
  void Open(uint64_t id);
  // A child of the executor has ended.
  void OnReaped(const os::process::Reaped& child);
  // Ends every stream.
  void Close();

 private:
  struct Carried {
    std::unique_ptr<rpc::streams::RemoteEndpoint> end;
    std::unique_ptr<rpc::FrameStream> stream;
    rpc::streams::RemoteProcess* process = nullptr;  // if `end` is one
    bool closed = false, over = false;
  };
  void OnFrame(uint64_t id, const wire::Frame& frame);
  void OnOpen(uint64_t id, const wire::Open& open);
  void StartProcess(uint64_t id, const wire::Process& process);
  void OnClosed(uint64_t id);
  void OnOver(uint64_t id, bool broken);
  void Fail(uint64_t id, const std::string& why);
  rpc::streams::RemoteEndpoint::Handlers HandlersOf(uint64_t id);

  boost::asio::io_context& loop_;
  MakeChannel make_channel_;
  Prepare prepare_;
  std::function<void(pid_t pid)> on_started_;
  std::unique_ptr<rpc::FrameChannel> channel_;
  std::unordered_map<uint64_t, Carried> carried_;
};

}  // namespace howdah::executor
