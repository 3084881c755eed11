// Fuzzed input: messages of the AM to an executor that runs an attempt. Two bytes before each message contain its
// length. The command of the task does not depend on the input.
#include <signal.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "executor.h"
#include "howdah/jobspec/job_file.h"
#include "howdah/os/files/files.h"
#include "howdah/os/files/temporary_directory.h"
#include "howdah/os/process/tree.h"

namespace howdah::executor {
namespace {

std::vector<wire::ToExecutor> MessagesOf(std::string_view text) {
  std::vector<wire::ToExecutor> messages;
  while (text.size() >= 2) {
    const size_t length = static_cast<size_t>(static_cast<unsigned char>(text[0])) |
                          static_cast<size_t>(static_cast<unsigned char>(text[1])) << 8;
    const std::string_view bytes = text.substr(2, length);
    text.remove_prefix(2 + bytes.size());
    wire::ToExecutor message;
    if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) continue;
    // An executor that is refused exits, and leaves the processes of its attempt to the guardian.
    if (message.has_welcome()) message.mutable_welcome()->clear_refused();
    messages.push_back(std::move(message));
  }
  return messages;
}

wire::ToExecutor StartOrder() {
  wire::ToExecutor message;
  message.mutable_welcome()->set_heartbeat_millis(3'600'000);
  message.mutable_start()->set_attempt(0);
  message.mutable_cluster()->add_hosts("127.0.0.1");
  message.mutable_cluster()->add_sizes(1);
  message.mutable_cluster()->add_host(0);
  message.mutable_cluster()->add_port(8080);
  return message;
}

wire::ToExecutor LeaveOrder() {
  wire::ToExecutor message;
  message.mutable_leave();
  return message;
}

// The stream to an AM that starts an attempt, sends the messages of the input once the attempt runs, and then orders
// the executor to leave.
class Link final : public rpc::ExecutorLink {
 public:
  Link(const std::vector<wire::ToExecutor>& messages, rpc::Post post, Handlers handlers)
      : messages_(messages), post_(std::move(post)), handlers_(std::make_shared<Handlers>(std::move(handlers))) {
    Deliver(StartOrder());
  }
  void Send(const wire::FromExecutor& message) override {
    post_([alive = std::weak_ptr(handlers_)] {
      if (const auto handlers = alive.lock()) handlers->on_sent();
    });
    const bool runs = message.has_started() || message.has_start_failed();
    if (!runs || std::exchange(delivered_, true)) return;
    for (const wire::ToExecutor& next : messages_) Deliver(next);
    Deliver(LeaveOrder());
  }
  void Finish() override {
    post_([alive = std::weak_ptr(handlers_)] {
      if (const auto handlers = alive.lock()) handlers->on_closed("the end of the input");
    });
  }

 private:
  void Deliver(const wire::ToExecutor& message) {
    post_([alive = std::weak_ptr(handlers_), message] {
      if (const auto handlers = alive.lock()) handlers->on_message(message);
    });
  }

  const std::vector<wire::ToExecutor>& messages_;
  rpc::Post post_;
  std::shared_ptr<Handlers> handlers_;
  bool delivered_ = false;
};

// The directory of the task, which all runs use.
class Directory {
 public:
  Directory() {
    jobspec::JobSpec spec;
    spec.name = "fuzz";
    spec.roles.resize(1);
    spec.roles[0].name = "worker";
    spec.roles[0].memory_bytes = int64_t{64} << 20;
    spec.roles[0].processes = 2;
    spec.roles[0].command.shell = "exec sleep 60";
    if (!os::files::WriteFileAtomically(Path("job.json"), jobspec::WriteEffective(spec)).ok()) __builtin_trap();
  }
  std::string Path(const std::string& name) const { return directory_.path() + "/" + name; }

 private:
  const os::files::TemporaryDirectory directory_ = *os::files::TemporaryDirectory::Make("am-orders");
};

}  // namespace

// The executor reads SIGCHLD from a signalfd, so every thread must block the signal. libFuzzer calls this function
// before it starts its own thread.
extern "C" int LLVMFuzzerInitialize(int*, char***) {
  sigset_t child_signal;
  ::sigemptyset(&child_signal);
  ::sigaddset(&child_signal, SIGCHLD);
  ::sigprocmask(SIG_BLOCK, &child_signal, nullptr);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const Directory directory;
  static const auto pulse = os::process::LoopPulse::Make();
  const std::vector<wire::ToExecutor> messages = MessagesOf({reinterpret_cast<const char*>(data), size});
  TaskOptions options;
  options.job_id = "fuzz";
  options.job_file = directory.Path("job.json");
  options.container = "c1";
  options.role = "worker";
  options.host = "127.0.0.1";
  options.am_address = "127.0.0.1:1";
  options.staging_dir = directory.Path("staging");
  options.work_dir = directory.Path("work");
  options.logs_dir = directory.Path("logs");
  auto port = os::process::PortReservation::Reserve();
  if (!pulse.ok() || !port.ok()) return 0;
  Executor executor(
      options, std::move(*port), {::getppid(), *pulse},
      [&](const std::string&, rpc::Post post, rpc::ExecutorLink::Handlers handlers,
          Duration) -> std::unique_ptr<rpc::ExecutorLink> {
        return std::make_unique<Link>(messages, std::move(post), std::move(handlers));
      },
      [](const std::string&, const rpc::Post&) -> Result<std::unique_ptr<rpc::FrameChannel>> {
        return Failed("a fuzzer has no tunnels");
      });
  if (!executor.Register().ok() || !executor.Prepare().ok()) __builtin_trap();
  executor.Run();
  os::process::KillAllDescendants();
  return 0;
}

}  // namespace howdah::executor
