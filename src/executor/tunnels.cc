#include "tunnels.h"

#include <boost/asio/post.hpp>
#include <utility>

#include "say.h"

namespace howdah::executor {

Tunnels::Tunnels(boost::asio::io_context& loop, MakeChannel make_channel, Prepare prepare,
                 std::function<void(pid_t pid)> on_started)
    : loop_(loop),
      make_channel_(std::move(make_channel)),
      prepare_(std::move(prepare)),
      on_started_(std::move(on_started)) {}

void Tunnels::Open(uint64_t id) {
  if (!channel_) {
    auto made = make_channel_([this](std::function<void()> f) { boost::asio::post(loop_, std::move(f)); });
    if (!made.ok()) return Say(made.error().message);  // the AM gives up waiting
    channel_ = std::move(*made);
  }
  Carried& carried = carried_[id];
  carried.stream = channel_->Open(
      rpc::FrameChannel::Method::kAcceptTunnel,
      {[this, id](const wire::Frame& frame) { OnFrame(id, frame); }, [this, id](const std::string&) { OnClosed(id); }});
  wire::Frame first;
  first.set_accept_tunnel(id);
  carried.stream->Send(first);
}

void Tunnels::OnFrame(uint64_t id, const wire::Frame& frame) {
  Carried& carried = carried_.at(id);
  if (carried.over) return;
  if (carried.end) return carried.end->OnFrame(frame);
  if (frame.has_open()) OnOpen(id, frame.open());
}

void Tunnels::OnOpen(uint64_t id, const wire::Open& open) {
  switch (open.what_case()) {
    case wire::Open::kPort:
      if (open.port() == 0 || open.port() > UINT16_MAX) return Fail(id, "there is no such port");
      carried_.at(id).end = rpc::streams::ConnectLoopback(loop_, static_cast<uint16_t>(open.port()), HandlersOf(id));
      return;
    case wire::Open::kProcess:
      return StartProcess(id, open.process());
    default:
      return Fail(id, "the executor does not know what is wanted");
  }
}

void Tunnels::StartProcess(uint64_t id, const wire::Process& process) {
  auto launch = prepare_(jobspec::Command{"", {process.argv().begin(), process.argv().end()}});
  if (!launch) return Fail(id, "the task does not run now");
  rpc::streams::RemoteProcess::Terminal terminal{process.terminal_type(), process.window_size().rows(),
                                                 process.window_size().columns()};
  if (process.terminal()) launch->request.environment.push_back("TERM=" + terminal.type);
  if (!launch->problem) {
    auto started = rpc::streams::RemoteProcess::Start(loop_, launch->request, process.terminal() ? &terminal : nullptr,
                                                      HandlersOf(id));
    if (auto* running = std::get_if<std::unique_ptr<rpc::streams::RemoteProcess>>(&started)) {
      carried_.at(id).process = running->get();
      carried_.at(id).end = std::move(*running);
      on_started_(carried_.at(id).process->pid());
      return;
    }
    launch->problem = ToProblem(launch->request, std::get<os::process::SpawnError>(started));
  }
  if (!launch->problem->code) return Fail(id, launch->problem->line);
  // As a shell there would have it.
  wire::Frame line, exited;
  line.mutable_data()->set_channel(wire::ERRORS);
  line.mutable_data()->set_bytes(launch->problem->line + "\n");
  exited.mutable_exited()->set_code(*launch->problem->code);
  carried_.at(id).stream->Send(line);
  carried_.at(id).stream->Send(exited);
  OnOver(id, false);
}

rpc::streams::RemoteEndpoint::Handlers Tunnels::HandlersOf(uint64_t id) {
  return {[this, id](const wire::Frame& frame) { carried_.at(id).stream->Send(frame); },
          [this, id](bool broken) { OnOver(id, broken); }};
}

void Tunnels::Fail(uint64_t id, const std::string& why) {
  wire::Frame frame;
  frame.set_failed(why);
  carried_.at(id).stream->Send(frame);
  OnOver(id, false);
}

void Tunnels::OnClosed(uint64_t id) {
  Carried& carried = carried_.at(id);
  carried.closed = true;
  if (!carried.end || carried.over) return static_cast<void>(carried_.erase(id));
  carried.end->OnClosed();
}

void Tunnels::OnOver(uint64_t id, bool broken) {
  Carried& carried = carried_.at(id);
  carried.process = nullptr;
  if (broken || carried.closed) return static_cast<void>(carried_.erase(id));
  carried.over = true;
  carried.stream->Finish();
}

void Tunnels::OnReaped(const os::process::Reaped& child) {
  for (auto& [id, carried] : carried_) {
    if (carried.process == nullptr || carried.process->pid() != child.pid) continue;
    return carried.process->OnExited(child.status);  // may change carried_
  }
}

void Tunnels::Close() {
  carried_.clear();
  channel_.reset();
}

}  // namespace howdah::executor
