#include "remote_streams.h"

#include <boost/asio/post.hpp>
#include <utility>

#include "log.h"

namespace howdah::executor {

RemoteStreams::RemoteStreams(boost::asio::io_context& loop, MakeChannel make_channel, Prepare prepare,
                             std::function<void(pid_t pid)> on_started,
                             std::function<std::optional<StackTarget>()> stack_target)
    : loop_(loop),
      make_channel_(std::move(make_channel)),
      prepare_(std::move(prepare)),
      on_started_(std::move(on_started)),
      stack_target_(std::move(stack_target)) {}

void RemoteStreams::Open(uint64_t tunnel) {
  if (!channel_) {
    auto made = make_channel_([this](std::function<void()> f) { boost::asio::post(loop_, std::move(f)); });
    // The client still gets an error, because the AM reports a timeout.
    if (!made.ok()) return Log(made.error().message);
    channel_ = std::move(*made);
  }
  const uint64_t id = ++last_id_;
  Stream& stream = streams_[id];
  stream.stream = channel_->Open(
      rpc::FrameChannel::Method::kAcceptTunnel,
      {[this, id](const wire::Frame& frame) { OnFrame(id, frame); }, [this, id](const std::string&) { OnClosed(id); }});
  wire::Frame first;
  first.set_accept_tunnel(tunnel);
  stream.stream->Send(first);
}

void RemoteStreams::OnFrame(uint64_t id, const wire::Frame& frame) {
  Stream& stream = streams_.at(id);
  if (stream.ended) return;
  if (stream.end) return stream.end->OnFrame(frame);
  if (frame.has_open()) OnOpen(id, frame.open());
}

void RemoteStreams::OnOpen(uint64_t id, const wire::Open& open) {
  switch (open.what_case()) {
    case wire::Open::kPort:
      if (open.port() == 0 || open.port() > UINT16_MAX) return Fail(id, "invalid port");
      streams_.at(id).end = rpc::streams::ConnectLoopback(loop_, static_cast<uint16_t>(open.port()), HandlersOf(id));
      return;
    case wire::Open::kProcess:
      return StartProcess(id, open.process());
    case wire::Open::kStacks:
      return SampleStacks(id, open.stacks());
    default:
      return Fail(id, "unknown kind of stream");
  }
}

void RemoteStreams::StartProcess(uint64_t id, const wire::Process& process) {
  auto launch = prepare_(jobspec::Command{"", {process.argv().begin(), process.argv().end()}});
  if (!launch) return Fail(id, "the task is not running");
  rpc::streams::RemoteProcess::Terminal terminal{process.terminal_type(), process.window_size().rows(),
                                                 process.window_size().columns()};
  if (process.terminal()) launch->request.environment.push_back("TERM=" + terminal.type);
  if (!launch->problem) {
    auto started = rpc::streams::RemoteProcess::Start(loop_, launch->request, process.terminal() ? &terminal : nullptr,
                                                      HandlersOf(id));
    if (auto* running = std::get_if<std::unique_ptr<rpc::streams::RemoteProcess>>(&started)) {
      streams_.at(id).process = running->get();
      streams_.at(id).end = std::move(*running);
      on_started_(streams_.at(id).process->pid());
      return;
    }
    launch->problem = ToProblem(launch->request, std::get<os::process::SpawnError>(started));
  }
  if (!launch->problem->code) return Fail(id, launch->problem->line);
  // Report the problem as a shell in the task would.
  wire::Frame line, exited;
  line.mutable_data()->set_channel(wire::ERRORS);
  line.mutable_data()->set_bytes(launch->problem->line + "\n");
  exited.mutable_exited()->set_code(*launch->problem->code);
  streams_.at(id).stream->Send(line);
  streams_.at(id).stream->Send(exited);
  OnEnded(id, false);
}

void RemoteStreams::SampleStacks(uint64_t id, const wire::Stacks& wanted) {
  auto target = stack_target_();
  if (!target) return Fail(id, "the task is not running: it has no process that could be sampled");
  streams_.at(id).end = SampleTaskStacks(loop_, std::move(*target), wanted, HandlersOf(id));
}

rpc::streams::RemoteEndpoint::Handlers RemoteStreams::HandlersOf(uint64_t id) {
  return {[this, id](const wire::Frame& frame) { streams_.at(id).stream->Send(frame); },
          [this, id](bool broken) { OnEnded(id, broken); }};
}

void RemoteStreams::Fail(uint64_t id, const std::string& why) {
  wire::Frame frame;
  frame.set_failed(why);
  streams_.at(id).stream->Send(frame);
  OnEnded(id, false);
}

void RemoteStreams::OnClosed(uint64_t id) {
  Stream& stream = streams_.at(id);
  stream.closed = true;
  if (!stream.end || stream.ended) return static_cast<void>(streams_.erase(id));
  stream.end->OnClosed();
}

void RemoteStreams::OnEnded(uint64_t id, bool broken) {
  Stream& stream = streams_.at(id);
  stream.process = nullptr;
  if (broken || stream.closed) return static_cast<void>(streams_.erase(id));
  stream.ended = true;
  stream.stream->Finish();
}

void RemoteStreams::OnReaped(const os::process::Reaped& child) {
  for (auto& [id, stream] : streams_) {
    if (stream.process == nullptr || stream.process->pid() != child.pid) continue;
    return stream.process->OnExited(child.status);  // may modify streams_
  }
}

void RemoteStreams::Close() {
  streams_.clear();
  channel_.reset();
}

}  // namespace howdah::executor
